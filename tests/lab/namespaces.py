"""Network namespaces without names, and links between them, for tests with real frames.

A process that only sleeps holds each namespace; the kernel ends it with the test, and then the namespace and its
interfaces are gone.  Nothing appears in the namespace of the machine.

    with Namespaces("h1", "s1") as net:
        net.link("h1", "eth0", "s1", "p0")
        net.run("h1", "ip", "addr", "add", "192.0.2.1/24", "dev", "eth0")
        raw = net.socket("h1", socket.AF_PACKET, socket.SOCK_RAW)

The module also has the reason that tests print if they cannot run without namespaces: `make test` accepts only that
reason (tools/test).
"""
import ctypes
import os
import signal
import socket
import subprocess
import time

from weirtest import skip, start

CLONE_NEWNET, PR_SET_PDEATHSIG = 0x40000000, 1
LIBC = ctypes.CDLL(None, use_errno=True)
OFFLOADS = ("rx", "tx", "sg", "tso", "gso", "gro")


# A command prefix: a user namespace in which no network namespaces can be made.
REFUSED = ["unshare", "--user", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$@\"", "sh"]


class NotAllowed(Exception):
    """Raised if namespaces cannot be made here, with the reason."""


def skip_without_namespaces(why):
    skip(f"no network namespace can be made here: {why}")


def skip_unless_lab_runs(program, scenario, needs_namespaces=True):
    """Skips the test if the program's own check fails before the test begins; any later failure is
    an error.  If a program was built with DPDK but cannot load it, that is also an error: `make
    test` does not accept it."""
    plan = start(program, "lab", scenario, "--plan", "--json").json
    if not plan["has_dpdk"]:
        skip("there is no DPDK here")
    if needs_namespaces and plan["may_run"] == "no":
        skip_without_namespaces("weir lab --plan says so")


def end_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Namespaces:
    def __init__(self, *names):
        self.names, self.holders, self.sockets, self.processes = names, {}, [], []

    def __enter__(self):
        try:
            for name in self.names:
                self.holders[name] = self.hold()
                self.run(name, "ip", "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()
        for sock in self.sockets:
            sock.close()
        for holder in self.holders.values():
            holder.kill()
            holder.communicate()

    @staticmethod
    def hold():
        """A process in its own namespace, which exists once the process has printed a line."""
        try:
            holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo there; exec sleep 1000"], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        except FileNotFoundError:
            raise NotAllowed("there is no program 'unshare' (Debian package util-linux)")
        if holder.stdout.readline() != "there\n":
            raise NotAllowed("network namespaces are not allowed here: " + holder.communicate()[1].strip())
        return holder

    def command(self, name, *words):
        return ["nsenter", "--net", "-t", str(self.holders[name].pid), *words]

    def run(self, name, *words, timeout=120):
        """The output of a command in a namespace; the command must succeed."""
        ran = subprocess.run(self.command(name, *words), capture_output=True, text=True, timeout=timeout)
        if ran.returncode:
            raise RuntimeError(f"{' '.join(words)}: {ran.stderr.strip() or ran.stdout.strip()}")
        return ran.stdout

    def start(self, name, *words):
        """Starts a command in a namespace."""
        process = subprocess.Popen(self.command(name, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=end_with_parent)
        self.processes.append(process)
        return process

    def link(self, one, one_name, other, other_name):
        """Makes a pair of interfaces that carry frames unchanged: without offloads, and without
        frames of the kernel's IPv6."""
        pids = [str(self.holders[name].pid) for name in (one, other)]
        made = subprocess.run(["ip", "link", "add", one_name, "netns", pids[0], "type", "veth", "peer", "name", other_name,
                               "netns", pids[1]], capture_output=True, text=True)
        if made.returncode:
            raise NotAllowed("a pair of veth interfaces cannot be made here: " + made.stderr.strip())
        for name, interface in ((one, one_name), (other, other_name)):
            self.run(name, "sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{interface}/disable_ipv6 || true")
            self.run(name, "ethtool", "-K", interface, *(word for offload in OFFLOADS for word in (offload, "off")))
            self.run(name, "ip", "link", "set", interface, "up")

    def socket(self, name, *arguments):
        """Opens a socket in a namespace; a socket stays in the namespace in which it was opened."""
        with open("/proc/self/ns/net") as own, open(f"/proc/{self.holders[name].pid}/ns/net") as other:
            if LIBC.setns(other.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                opened = socket.socket(*arguments)
            finally:
                LIBC.setns(own.fileno(), CLONE_NEWNET)
        self.sockets.append(opened)
        return opened


def wait_until(is_so, seconds):
    """Whether the condition became true in time."""
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
