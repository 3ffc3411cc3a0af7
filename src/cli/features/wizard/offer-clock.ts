/** The time left on an offer: the line that counts down beside every question, and their end with it. */
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {SearchAgain} from './draft.js'

/** The same questions, each with the time left, withdrawn when the time is over. */
export function clocked(prompts: Prompts, clock: OfferClock | undefined): Prompts {
  if (!clock) return prompts
  return {
    text: question => prompts.text({...clock, ...question}),
    choose: question => prompts.choose({...clock, ...question}),
    chooseSeveral: question => prompts.chooseSeveral({...clock, ...question}),
    search: question => prompts.search({...clock, ...question}),
    confirm: question => prompts.confirm({...clock, ...question}),
  }
}

type OfferClock = ReturnType<typeof startClock>

/** Runs until `expiresAt` (Unix seconds); `now` is this machine's clock. The signal's reason is a SearchAgain. */
export function startClock(expiresAt: number, now: () => number, what: string) {
  const controller = new AbortController()
  const expire = () => controller.abort(new SearchAgain(`${what} expired: searching again.`))
  const timer = setTimeout(expire, Math.max(0, (expiresAt - now()) * 1000))
  timer.unref()
  return {
    /** The line kept in sight. */
    status: () => `${what}: ${minutesLeft(expiresAt - now())} left`,
    /** Aborted when the offer expires; its reason is thrown. */
    signal: controller.signal,
    stop: () => clearTimeout(timer),
  }
}

/** `14:05`, minutes and seconds; never less than `0:00`. */
export function minutesLeft(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
