/** Who wants plain lines in place of anything drawn over. */

/** Whether the environment asks for plain lines: BOOKCTL_ACCESSIBLE, or a terminal that cannot move its cursor. */
export function wantsAccessible(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.BOOKCTL_ACCESSIBLE) || env.TERM === 'dumb'
}
