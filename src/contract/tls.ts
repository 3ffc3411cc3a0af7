/**
 * The rule of every TLS connection of this program: certificates are checked and TLS is at least 1.2. The runtime takes both
 * defaults from the environment (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0), so every connection states them.
 */
export const TLS_RULES = {rejectUnauthorized: true, minVersion: 'TLSv1.2'} as const
