import {
  describeLogin,
  type LoginInput,
  logIn,
  logInPatiently,
  loginFlags,
  nextSteps,
  readLogin,
} from '../cli/features/access/login.js'
import {overriddenWarning} from '../cli/features/access/profiles.js'
import {dryRunFlag} from '../cli/session/dry-run.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {ask, type Question} from '../cli/terminal/prompts/ask.js'
import {single} from '../cli/terminal/result.js'

export default class Login extends BaseCommand {
  static override summary = 'Log in with client credentials and store them'
  static override description =
    `Obtains a token before anything is stored. --profile names the profile (default: default).
The secret is asked for, or read with --client-secret-stdin, --client-secret-file or BOOKCTL_CLIENT_SECRET; it is not
accepted as an argument, because arguments show in the process list and the shell history. Without --scope, the scopes
for booking are requested: account:read, hotels:read, reservations:read, reservations:write.`
  static override examples = [
    'printf %s "$SECRET" | bookctl login --base-url "$BOOKCTL_BASE_URL" --client-id cid_sandbox --client-secret-stdin',
    'bookctl login --profile reader --client-id cid_sandbox --client-secret-file secret.txt --scope account:read',
  ]
  static override columns = ['profile', 'base_url', 'client_id', 'mode', 'scopes', 'expires_at', 'stored_in']
  static override candidates = {scope: 'scopes'} as const
  static override flags = {...loginFlags, ...dryRunFlag}

  async run(): Promise<void> {
    const {flags} = await this.parse(Login)
    const state = await this.state()
    const put = (questions: readonly Question[]) => ask(questions, this.globals, () => this.prompts())
    const login = await readLogin(flags, process.env, state, put)
    const {input} = login
    if (flags['dry-run']) return this.print(describeLogin(state, input))
    const requester = await this.openSender()
    const attempt = (typed: LoginInput) => logIn(requester, state, typed)
    const identity = await logInPatiently(login, attempt, put, problem => this.warn(problem))
    if (identity.mode === 'live') this.warn('LIVE: these credentials book for real')
    await this.print(single(identity, identity, identity.profile))
    const overridden = overriddenWarning(process.env, input.profile, 'this login')
    this.note('Logged in.')
    if (overridden) this.warn(overridden)
    else this.note(nextSteps(identity, state.settings.read().current_profile))
  }
}
