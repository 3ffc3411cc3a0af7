/** The page at `/`: where everything is. */

export function showHome(origin: string): string {
  const links = [
    ['/openapi.json', 'OpenAPI description'],
    ['/_sandbox/clock', 'the service’s clock'],
    ['/_sandbox/events', 'events'],
    ['/_sandbox/deliveries', 'webhook deliveries'],
    ['/_sandbox/requests', 'the last requests'],
    ['/_sandbox/faults', 'faults ordered'],
  ] as const
  const items = links.map(([path, text]) => `<li><a href="${path}">${text}</a></li>`).join('')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>bookctl local sandbox</title>
<h1>Local sandbox of the Partner Booking Service</h1>
<p>Base URL: <code>${origin}/partner-api/v1</code></p><ul>${items}</ul></html>`
}
