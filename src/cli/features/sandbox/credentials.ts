/** Start-up clients of every local sandbox (service.md): `poor` has almost no money, `readonly` may change nothing. */
export const SANDBOX_CLIENTS = ['poor', 'readonly'] as const

export function credentialsOf(client?: string): {client_id: string; client_secret: string} {
  const suffix = client === undefined ? '' : `_${client}`
  return {client_id: `cid_sandbox${suffix}`, client_secret: `sk_test_sandbox${suffix}`}
}
