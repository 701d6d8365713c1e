"""A fresh Debian 12 in a folder, for tests that install Weir as a user would."""
import contextlib
import os
import shutil
import subprocess

import weirtest

# If this machine reaches package registries through a proxy, this file has the proxy's certificate
# authority.
AUTHORITIES = os.environ.get("NODE_EXTRA_CA_CERTS")
ENVIRONMENT = ["HOME=/root", "LC_ALL=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               "DEBIAN_FRONTEND=noninteractive"] + (["NODE_EXTRA_CA_CERTS=/root/authorities"] if AUTHORITIES else [])
NEEDED = ("mmdebstrap", "unshare", "chroot")


def can_make():
    """Whether this user can make such a system on this machine."""
    return os.geteuid() == 0 and all(map(shutil.which, NEEDED))


class System:
    """A root file system, and commands that run inside it."""

    def __init__(self, root):
        self.root = root

    def start(self, command, cwd="/root", timeout=1500):
        """Runs a shell command with its own processes and mounts, which end with it."""
        inside = (f'mount -t proc proc "{self.root}/proc" && '
                  f'exec chroot "{self.root}" /bin/sh -c \'cd "$1" && eval "$2"\' sh "$1" "$2"')
        return weirtest.start("unshare", "--mount", "--pid", "--fork", "--kill-child", "env", "-i", *ENVIRONMENT,
                              "/bin/sh", "-c", inside, "sh", cwd, command, timeout=timeout)

    def run(self, command, cwd="/root"):
        """The output of a command that has to succeed."""
        done = self.start(command, cwd)
        weirtest.check(f"{command}: exit code {done.returncode}", done.returncode == 0, done.said[-3000:])
        return done.stdout


@contextlib.contextmanager
def fresh_debian(folder):
    """Debian's smallest system, without a compiler and without Python."""
    root = os.path.join(folder, "debian")
    made = weirtest.start("mmdebstrap", "--variant=minbase", "--quiet", "--aptopt=Acquire::Check-Valid-Until \"false\"",
                          "bookworm", root, timeout=900)
    weirtest.check("a fresh Debian 12 is made", made.returncode == 0, made.said[-3000:])
    system = System(root)
    if AUTHORITIES:
        shutil.copy(AUTHORITIES, os.path.join(root, "root", "authorities"))
    try:
        system.run("apt-get update -q")
        yield system
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)
