/** Whether `status` is a 2xx: the success of a call, and of a webhook's delivery (§6.4). Null: there was no answer. */
export function isSuccess({status}: {readonly status: number | null}): boolean {
  return status !== null && status >= 200 && status <= 299
}
