/** The style of the payment page: one column that a phone can read, light or dark as the reader's system is. */
export const PAYMENT_PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dee5; --paper: #fff; --ground: #eef1f5;
  --accent: #14539a; --good: #176b3a; --bad: #a3231f; --test: #7a4b00; --test-paper: #fff3d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3afbd; --line: #38424f; --paper: #1b222c;
  --ground: #11161d; --accent: #8fc1ff; --good: #7ddba3; --bad: #ff9c96; --test: #ffd58a; --test-paper: #3a2c0b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
.test { margin: 0; padding: .625rem 1rem; background: var(--test-paper); color: var(--test); text-align: center; font-weight: 600; }
main { max-width: 34rem; margin: 1.5rem auto; padding: 1.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
.amount { margin: 0 0 .25rem; font-size: 2.25rem; font-weight: 700; line-height: 1.1; font-variant-numeric: tabular-nums; }
.soft, dt { color: var(--soft); }
dl { margin: 1.25rem 0; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 8rem; } dd { flex: 1 1 14rem; margin: 0; }
.note { margin: 0 0 1rem; padding: .75rem 1rem; border-left: 4px solid var(--accent); background: var(--ground); border-radius: .25rem; }
.good { border-color: var(--good); } .bad { border-color: var(--bad); }
fieldset { margin: 0; padding: 0; border: 0; display: grid; gap: .75rem; }
legend { padding: 0; margin-bottom: .75rem; font-weight: 600; }
button { width: 100%; min-height: 3rem; padding: .75rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent); background: transparent; border: 2px solid currentColor; border-radius: .5rem; }
button[value=paid] { color: var(--paper); background: var(--accent); border-color: var(--accent); }
button[value=failed] { color: var(--bad); } button[value=left] { color: var(--soft); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
@media (max-width: 30rem) { main { margin: 0; border: 0; border-radius: 0; padding: 1.25rem 1rem; } .amount { font-size: 1.875rem; } }
`
