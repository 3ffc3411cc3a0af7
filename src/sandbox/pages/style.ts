/** The CSS that all pages share: colours (light or dark, as the system is set) and basic elements. */
const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1c2430;
  --soft: #56616f;
  --line: #d6dce4;
  --paper: #fff;
  --ground: #f0f3f7;
  --accent: #14539a;
  --good: #14622f;
  --good-paper: #e3f4e9;
  --bad: #9c1f1b;
  --bad-paper: #fdeae8;
  --wait: #744700;
  --wait-paper: #fff1d0;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8ecf2;
    --soft: #a9b5c2;
    --line: #364150;
    --paper: #1a212b;
    --ground: #10151c;
    --accent: #8fc1ff;
    --good: #86e0aa;
    --good-paper: #143322;
    --bad: #ffa8a2;
    --bad-paper: #43201f;
    --wait: #ffd58a;
    --wait-paper: #3a2c0b;
  }
}

* {
  box-sizing: border-box;
}

body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  overflow-wrap: anywhere;
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}

:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
  border-radius: 0.2rem;
}

.soft,
dt {
  color: var(--soft);
}

.note {
  margin: 0 0 1.25rem;
  padding: 0.75rem 1rem;
  background: var(--paper);
  border: 1px solid var(--line);
  border-left: 4px solid var(--accent);
  border-radius: 0.4rem;
}

.note.bad {
  border-left-color: var(--bad);
}

.note.good {
  border-left-color: var(--good);
}

dl {
  margin: 0;
}

dl > div {
  display: flex;
  flex-wrap: wrap;
  gap: 0 1rem;
  padding: 0.4rem 0;
  border-top: 1px solid var(--line);
}

dl > div:first-child {
  border-top: 0;
}

dt {
  flex: 0 0 9.5rem;
}

dd {
  flex: 1 1 12rem;
  margin: 0;
  min-width: 0;
}

h1 {
  margin: 0;
  font-size: 1.5rem;
  line-height: 1.25;
  min-width: 0;
}

form {
  margin: 0;
}

button {
  min-height: 2.75rem;
  padding: 0.375rem 0.75rem;
  font: inherit;
  font-weight: 600;
  color: var(--accent);
  background: var(--paper);
  border: 1px solid currentColor;
  border-radius: 0.4rem;
  cursor: pointer;
  max-width: 100%;
}

button.strong,
button[value="paid"] {
  color: var(--paper);
  background: var(--accent);
  border-color: var(--accent);
}

button.danger,
button[value="failed"] {
  color: var(--bad);
}
`

/** The CSS of the dashboard. In windows narrower than 64rem, each table row is shown as a block of lines. */
export const SITE_STYLE = `${BASE_STYLE}
a {
  color: var(--accent);
  text-underline-offset: 0.25em;
}

main:focus {
  outline: none;
}

code,
pre {
  font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}

pre {
  margin: 0;
  padding: 0.75rem 1rem;
  background: var(--ground);
  border: 1px solid var(--line);
  border-radius: 0.4rem;
  white-space: pre-wrap;
  max-height: 40rem;
  overflow: auto;
}

.nowrap {
  white-space: nowrap;
}

time {
  font-variant-numeric: tabular-nums;
}

.skip {
  position: absolute;
  left: -100rem;
}

.skip:focus {
  left: 0.5rem;
  top: 0.5rem;
  padding: 0.5rem;
  background: var(--paper);
  z-index: 1;
}

header {
  background: var(--paper);
  border-bottom: 1px solid var(--line);
}

.bar,
.sections,
main {
  max-width: 80rem;
  margin: 0 auto;
  padding: 0 1.25rem;
}

.bar {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: center;
  gap: 0.25rem 1.5rem;
  padding-top: 0.75rem;
}

.bar p {
  margin: 0;
}

.name a {
  color: inherit;
  font-weight: 700;
  font-size: 1.0625rem;
  text-decoration: none;
}

.sections ul {
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.25rem;
  margin: 0.375rem 0 0 -0.75rem;
  padding: 0;
  list-style: none;
}

.sections a {
  display: block;
  padding: 0.5rem 0.75rem;
  text-decoration: none;
  border-bottom: 3px solid transparent;
}

.sections a:hover {
  text-decoration: underline;
}

.sections a[aria-current] {
  color: var(--ink);
  font-weight: 600;
  border-color: var(--accent);
}

main {
  padding-top: 1.25rem;
  padding-bottom: 3rem;
}

h1 {
  margin-bottom: 1rem;
}

h1 code {
  font-size: 0.9em;
  display: inline-block;
  max-width: 100%;
}

h2 {
  margin: 0 0 0.75rem;
  font-size: 1.0625rem;
  line-height: 1.3;
}

.card {
  margin: 0 0 1.25rem;
  padding: 1rem 1.25rem;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  min-width: 0;
}

.pair {
  display: grid;
  gap: 0 1.25rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  align-items: start;
}

.card p {
  margin: 0 0 0.75rem;
}

.card > :last-child {
  margin-bottom: 0;
}

.card > :not(h2) + :not(.pager) {
  margin-top: 0.75rem;
}

h2 ~ h2 {
  margin-top: 1.25rem;
}

.status {
  display: inline-block;
  padding: 0 0.5em;
  border: 1px solid currentColor;
  border-radius: 0.3rem;
  font-size: 0.8125rem;
  font-weight: 600;
  white-space: nowrap;
  color: var(--soft);
}

.status.good {
  color: var(--good);
  background: var(--good-paper);
}

.status.bad {
  color: var(--bad);
  background: var(--bad-paper);
}

.status.wait {
  color: var(--wait);
  background: var(--wait-paper);
}

table {
  width: 100%;
  border-collapse: collapse;
}

caption {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
}

th,
td {
  padding: 0.5rem 0.75rem 0.5rem 0;
  text-align: left;
  vertical-align: top;
  font-weight: inherit;
  border-top: 1px solid var(--line);
  overflow: clip;
  overflow-clip-margin: 4px;
  min-width: 6.5rem;
}

thead th {
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
  border-top: 0;
  white-space: nowrap;
}

td .nowrap,
td time {
  white-space: nowrap;
}

.money {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}

.nothing {
  margin: 0;
  color: var(--soft);
}

.pager {
  display: flex;
  gap: 1.5rem;
  padding-top: 0.75rem;
  border-top: 1px solid var(--line);
}

.actions,
.filter {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
  align-items: end;
}

.filter {
  margin-bottom: 1rem;
}

.filter a {
  padding: 0.5rem 0;
}

.actions + .actions {
  margin-top: 0.75rem;
}

label {
  display: flex;
  flex-direction: column;
  gap: 0.2rem;
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
  min-width: 0;
}

input,
select {
  min-height: 2.75rem;
  padding: 0.375rem 0.75rem;
  font: inherit;
  font-size: 0.9375rem;
  font-weight: 400;
  color: var(--ink);
  background: var(--paper);
  border: 1px solid var(--soft);
  border-radius: 0.4rem;
  max-width: 100%;
}

input[type="number"] {
  width: 8rem;
}

summary {
  cursor: pointer;
  color: var(--accent);
  padding: 0.375rem 0;
}

details form {
  margin-top: 0.5rem;
}

.path span {
  white-space: nowrap;
}

.copy {
  min-height: 0;
  padding: 0 0.5rem;
  font-size: 0.8125rem;
}

fieldset {
  margin: 0 0 0.75rem;
  padding: 0;
  border: 0;
}

legend {
  padding: 0;
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
}

.choice {
  flex-direction: row;
  align-items: baseline;
  gap: 0.625rem;
  padding: 0.25rem 0;
  color: inherit;
  font-size: inherit;
  font-weight: 400;
}

.choice input {
  min-height: 0;
  flex: none;
}

@supports selector(:has(*)) {
  [data-for] {
    display: none;
  }

  form:has([value="status"]:checked) [data-for~="status"],
  form:has([value="latency"]:checked) [data-for~="latency"],
  form:has([value="html"]:checked) [data-for~="html"] {
    display: flex;
  }
}

@media (min-width: 64rem) {
  .id {
    white-space: nowrap;
  }
}

@media (max-width: 48rem) {
  .bar,
  .sections,
  main {
    padding-left: 1rem;
    padding-right: 1rem;
  }

  .card {
    padding: 0.875rem 1rem;
  }

  .wide {
    display: none;
  }

  .bar {
    flex-wrap: nowrap;
  }

  .bar p {
    white-space: nowrap;
  }

  .bar .clock {
    max-width: 6rem;
    white-space: normal;
    font-size: 0.8125rem;
    line-height: 1.3;
    text-align: right;
  }

  .sections ul {
    flex-wrap: nowrap;
    overflow-x: auto;
    scrollbar-width: none;
    white-space: nowrap;
    position: relative;
  }

  dt {
    flex-basis: 100%;
    font-size: 0.8125rem;
  }

  td .nowrap,
  td time {
    white-space: normal;
  }
}

@media (width < 64rem) {
  table,
  tbody,
  tr,
  td,
  th {
    display: block;
  }

  thead {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }

  tr {
    padding: 0.5rem 0;
    border-top: 1px solid var(--line);
  }

  tbody tr:first-child {
    border-top: 0;
  }

  th,
  td {
    display: flex;
    gap: 1rem;
    padding: 0.15rem 0;
    border: 0;
  }

  th[data-column],
  td {
    min-width: 0;
  }

  [data-column] > div {
    min-width: 0;
  }

  [data-column]::before {
    content: attr(data-column);
    flex: 0 0 7rem;
    color: var(--soft);
    font-size: 0.8125rem;
  }

  th[data-column]:has(a)::before {
    content: none;
  }
}
`

/** The CSS of the payment page: one column, which fits a phone. */
export const PAYMENT_PAGE_STYLE = `${BASE_STYLE}
body {
  font-size: 1rem;
}

.test {
  padding: 0.625rem 1rem;
  background: var(--wait-paper);
  color: var(--wait);
  text-align: center;
  font-weight: 600;
}

main {
  max-width: 34rem;
  margin: 1.5rem auto;
  padding: 1.5rem;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}

h1 {
  margin-bottom: 1rem;
}

dl {
  margin: 1.25rem 0;
}

.amount {
  margin: 0 0 0.25rem;
  font-size: 2.25rem;
  font-weight: 700;
  line-height: 1.1;
  font-variant-numeric: tabular-nums;
}

fieldset {
  margin: 0;
  padding: 0;
  border: 0;
  display: grid;
  gap: 0.75rem;
}

legend {
  padding: 0;
  margin-bottom: 0.75rem;
  font-weight: 600;
}

button {
  width: 100%;
  min-height: 3rem;
  border-width: 2px;
}

button[value="left"] {
  color: var(--soft);
}

@media (max-width: 30rem) {
  main {
    margin: 0;
    border: 0;
    border-radius: 0;
    padding: 1.25rem 1rem;
  }

  .amount {
    font-size: 1.875rem;
  }
}
`
