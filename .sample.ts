const {PARTS} = await import('/tmp/wt/proof/test/proof/parts.ts')
const part = PARTS.find(p => p.title.toLowerCase().includes(process.argv[2]))
const began = Date.now()
let n = 0
await part.run(new Set(part.sample), (name, {wrong, count}) => { n++; console.log(((Date.now()-began)/1000).toFixed(1), wrong.length ? '✗' : '✓', name, count ?? '', wrong.join('\n   ')) }, 6)
console.log(n, 'cells of', part.sample.length)
