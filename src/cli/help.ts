/** oclif's help, its paragraphs wrapped for the terminal and not as the source has them. */
import {Help} from '@oclif/core/help'

type HelpCommand = Parameters<Help['showCommandHelp']>[0]

export default class extends Help {
  protected override formatCommand(command: HelpCommand): string {
    const description = command.description?.replace(/\n(?!\n|Environment:)/g, ' ')
    return super.formatCommand({...command, ...(description === undefined ? {} : {description})})
  }
}
