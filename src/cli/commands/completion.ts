import { Argument, type Command } from 'commander'
import { operations } from 'etn-market'
import { addExample } from '../common-options.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { SWEEPS } from './sweep.ts'

const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish }

/** Adds `etn-market completion`. `loadAll` makes a program with the options of every command. */
export const addCommand: AddCommand = (program, host, loadAll) => {
  const shell = new Argument('<shell>').choices(Object.keys(SHELLS))
  const command = program.command('completion').description('Print a script that completes commands and options.')
  command.addArgument(shell).action(
    inSession<CommonOptions, [keyof typeof SHELLS]>(host, async (session, _, name) => {
      const all = await loadAll()
      session.print(SHELLS[name](all.commands.map(describe)))
    }),
  )
  command.addHelpText(
    'after',
    `
Put into the start-up file of the shell:
  bash  eval "$(etn-market completion bash)"
  zsh   eval "$(etn-market completion zsh)"   (after compinit)
  fish  etn-market completion fish | source`,
  )
  addExample(command, 'completion bash >> ~/.bashrc')
}

/** A command as a shell completes it: `values` are those of its first argument. */
function describe(command: Command) {
  const name = command.name()
  // Arguments whose errors name the nearest value, so that commander does not know the values.
  const known = name === 'sweep' ? SWEEPS : ['cost', 'call'].includes(name) ? operations : {}
  return {
    name,
    summary: command.summary(),
    values: command.registeredArguments[0]?.argChoices ?? Object.keys(known),
    options: [...command.options.flatMap(({ long }) => long ?? []), '--help'],
  }
}

type Commands = readonly ReturnType<typeof describe>[]

function toBash(commands: Commands): string {
  const cases = commands.map(
    ({ name, values, options }) => `    ${name}) words="${[...values, ...options].join(' ')}" ;;`,
  )
  return `_etn_market() {
  local words
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) words="${[...commands.map(({ name }) => name), '--help', '--version'].join(' ')}" ;;
  esac
  [[ $COMP_CWORD -gt 1 ]] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _etn_market etn-market`
}

/** Zsh runs what is written for bash. */
function toZsh(commands: Commands): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${toBash(commands)}`
}

function toFish(commands: Commands): string {
  return commands
    .flatMap(({ name, summary, values, options }) => {
      const within = `complete -c etn-market -n '__fish_seen_subcommand_from ${name}'`
      return [
        `complete -c etn-market -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
        ...(values.length === 0 ? [] : [`${within} -f -a '${values.join(' ')}'`]),
        ...options.map((option) => `${within} -l ${option.slice(2)}`),
      ]
    })
    .join('\n')
}
