/* `weir completion`: writes scripts by which shells complete verbs, options and their values. */

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "scenario/scenario.h"

static const char *const shells[] = { "bash", "zsh", NULL };

/* The i-th shell; null after the last one. */
static const char *
shell_at(size_t i)
{
    return shells[i];
}

/* Whether an option takes settings of a scenario, as in engine=pfc.  Completion offers keys that
 * choose something by name, and their choices. */
static bool
takes_setting(const struct verb_shown *o)
{
    static const char form[] = "KEY=VALUE";

    return !strncmp(o->value, form, sizeof form - 1);
}

/* bash: a script with a branch for each verb. If a branch has nothing to offer, bash offers names
 * of files. */

/* Writes the function that offers keys, or the values of one key. */
static void
bash_settings(void)
{
    const struct scn_registry *r = scn_registries;

    printf("_weir_setting()\n{\n    case $1 in\n"
           "    \"\") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W \"");
    for (; r->registry; r++) {
        printf("%s%s", r == scn_registries ? "" : " ", r->key);
    }
    printf("\" -- \"$cur\")) ;;\n");
    for (r = scn_registries; r->registry; r++) {
        printf("    %s) COMPREPLY=($(compgen -W \"", r->key);
        for (size_t i = 0; r->registry->plugins[i]; i++) {
            printf("%s%s", i ? " " : "", r->registry->plugins[i]->name);
        }
        printf("\" -- \"$cur\")) ;;\n");
    }
    printf("    esac\n}\n");
}

static void
bash_words(const char *const *words)
{
    printf("COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; words[i]; i++) {
        printf("%s%s", i ? " " : "", words[i]);
    }
    printf("\" -- \"$cur\"))");
}

/* Writes the completion of values: the choices of an option or the names of files, else nothing. */
static void
bash_values(const struct verb *v)
{
    struct verb_shown o;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        if (!o.value) {
            continue;
        }
        printf("    %s:%s) ", v->name, o.name);
        if (o.choices) {
            bash_words(o.choices);
            printf("; return ;;\n");
        } else if (takes_setting(&o)) {
            printf("compopt +o default 2>/dev/null; _weir_setting \"$key\"; return ;;\n");
        } else {
            printf(o.is_file ? "return ;;\n" : "compopt +o default 2>/dev/null; return ;;\n");
        }
    }
}

static void
bash_options(const struct verb *v)
{
    struct verb_shown o;

    printf("    %s:-*) COMPREPLY=($(compgen -W \"", v->name);
    for (size_t i = 0; verb_show(v, i, &o); i++) {
        printf("%s%s", i ? " " : "", o.name);
    }
    printf("\" -- \"$cur\")) ;;\n");
    if (verb_operand(v, 0)) {
        printf("    %s:*) COMPREPLY=($(compgen -W \"", v->name);
        for (size_t i = 0; verb_operand(v, i); i++) {
            printf("%s%s", i ? " " : "", verb_operand(v, i));
        }
        printf("\" -- \"$cur\")) ;;\n");
    }
}

static void
write_bash(void)
{
    printf("# Completion of weir in bash, written by `weir completion bash`.\n");
    bash_settings();
    printf("_weir()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} key=\n"
           "    local verb=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD > 3)) && [[ $cur == = ]]; then # KEY=VALUE is three words.\n"
           "        key=$prev cur= prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    elif ((COMP_CWORD > 4)) && [[ $prev == = ]]; then\n"
           "        key=${COMP_WORDS[COMP_CWORD - 2]} prev=${COMP_WORDS[COMP_CWORD - 3]}\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -W \"");
    struct verb v;
    for (size_t i = 0; verb_at(i, &v); i++) {
        printf("%s%s", i ? " " : "", v.name);
    }
    printf("\" -- \"$cur\"))\n        return\n    fi\n    case $verb:$prev in\n");
    for (size_t i = 0; verb_at(i, &v); i++) {
        bash_values(&v);
    }
    printf("    esac\n    case $verb:$cur in\n");
    for (size_t i = 0; verb_at(i, &v); i++) {
        bash_options(&v);
    }
    printf("    esac\n}\ncomplete -o default -F _weir weir\n");
}

/* zsh: the arguments of _arguments. */

/* Writes text within single quotes, brackets and colons, with escapes. */
static void
zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            printf("'\\''");
        } else {
            printf(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
        }
    }
}

static void
zsh_option(const struct verb_shown *o)
{
    printf(" \\\n            '%s%s[", o->may_repeat ? "*" : "", o->name);
    zsh_text(o->help);
    printf("]");
    if (o->value) {
        printf(":");
        zsh_text(o->value);
        printf(o->is_file ? ":_files" : takes_setting(o) ? ":{compadd -a settings}" : ":");
    }
    for (size_t i = 0; o->choices && o->choices[i]; i++) {
        printf("%s%s%s", i ? " " : "(", o->choices[i], o->choices[i + 1] ? "" : ")");
    }
    printf("'");
}

static void
zsh_verb(const struct verb *v)
{
    struct verb_shown o;

    printf("    %s)\n        _arguments", v->name);
    for (size_t i = 0; verb_show(v, i, &o); i++) {
        zsh_option(&o);
    }
    if (v->operands) {
        printf(" \\\n            '*:");
        zsh_text(v->operands);
        printf(verb_operand(v, 0) ? ":(" : ":_files'");
        for (size_t i = 0; verb_operand(v, i); i++) {
            printf("%s%s%s", i ? " " : "", verb_operand(v, i), verb_operand(v, i + 1) ? "" : ")'");
        }
    }
    printf("\n        ;;\n");
}

static void
zsh_settings(void)
{
    printf("settings=(\n");
    for (const struct scn_registry *r = scn_registries; r->registry; r++) {
        for (size_t i = 0; r->registry->plugins[i]; i++) {
            printf("    %s=%s\n", r->key, r->registry->plugins[i]->name);
        }
    }
    printf(")\n");
}

static void
write_zsh(void)
{
    printf("#compdef weir\n"
           "# Completion of weir in zsh, written by `weir completion zsh`.\n"
           "local -a verbs settings\n");
    zsh_settings();
    printf("verbs=(\n");
    struct verb v;
    for (size_t i = 0; verb_at(i, &v); i++) {
        printf("    '%s:", v.name);
        zsh_text(v.brief);
        printf("'\n");
    }
    printf(")\n"
           "if ((CURRENT == 2)); then\n"
           "    _describe verb verbs\n"
           "    return\n"
           "fi\n"
           "shift words\n"
           "((CURRENT--))\n"
           "case $words[1] in\n");
    for (size_t i = 0; verb_at(i, &v); i++) {
        zsh_verb(&v);
    }
    printf("esac\n");
}

static int
run_completion(void *given)
{
    const char *shell = ((const struct verb_operands *)given)->items[0];

    if (!strcmp(shell, "bash")) {
        write_bash();
    } else if (!strcmp(shell, "zsh")) {
        write_zsh();
    } else {
        return cli_fail(EXIT_USER, "completion: the shell is bash or zsh, not '%s'", shell);
    }
    return EXIT_GOOD;
}

const struct verb cli_completion = {
    .name = "completion",
    .group = VERB_OTHER,
    .run = run_completion,
    .brief = "write a completion script for bash or zsh",
    .operands = "bash|zsh",
    .about = "Writes a script with which a shell completes verbs, options and their values when "
             "you press Tab. `make install` installs the script; otherwise let the start-up file "
             "of the shell read it.",
    .examples = "  source <(weir completion bash)\n"
                "  weir completion zsh >~/.zfunc/_weir\n",
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no shell given: bash or zsh",
    .operand = shell_at,
};
