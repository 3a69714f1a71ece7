/**
 * Who may import what. A part of src lists the other parts, the packages and the modules of
 * Node that it may use, `true` being all; everything else is forbidden. A part without an entry may
 * import nothing, so that a new folder has to be entered here on purpose.
 */
const parts = [
  { path: 'core/', may: [], packages: [], node: false },
  { path: 'ports/', may: ['core/'], packages: [], node: false },
  {
    path: 'formats/',
    may: ['core/', 'ports/'],
    packages: ['csv-parse', 'protobufjs', 'hyparquet', 'hyparquet-compressors'],
    // Of crypto only digests, which are pure; of zlib only unpacking.
    node: ['buffer', 'crypto', 'zlib'],
  },
  {
    path: 'pipeline/',
    may: ['core/', 'ports/', 'formats/'],
    packages: ['zod', 'fastest-levenshtein'],
    node: false,
  },
  { path: 'inspect/', may: ['core/', 'ports/'], packages: [], node: false },
  { path: 'flow-files/', may: ['core/', 'pipeline/'], packages: ['yaml'], node: true },
  { path: 'telemetry/', may: ['core/', 'ports/'], packages: ['pino', 'prom-client'], node: true },
  driver('sources/files/', ['tinyglobby']),
  driver('sources/kafka/', ['kafkajs', 'kafkajs-snappy', 'lz4js', 'fzstd']),
  driver('sources/schema-registry/', []),
  driver('sources/sqlite/', ['better-sqlite3']),
  driver('sources/postgres/', ['pg', 'pg-cursor']),
  driver('sources/mysql/', ['mysql2']),
  driver('stores/memory/', []),
  driver('stores/sqlite/', ['better-sqlite3']),
  {
    path: 'cli/',
    may: ['index.ts'],
    packages: ['fastest-levenshtein', 'yargs'],
    node: true,
  },
]

/** The only modules that put parts together. */
const assembly = [
  'index.ts',
  'tidemark.ts',
  'diff-files.ts',
  'wire.ts',
  'wire-kafka.ts',
  'wire-lag.ts',
  'wire-topics.ts',
]

/** Where the program starts, and what declares types of packages that have none. */
const unimported = ['cli/bin.ts', 'sources/kafka/kafkajs-internals.d.ts']

/** A source or a store: its own package, and no other source or store. */
function driver(path, packages) {
  return { path, may: ['core/', 'ports/', 'formats/'], packages, node: true }
}

function inSrc(path) {
  return `^src/${path.replaceAll('.', '\\.')}${path.endsWith('/') ? '' : '$'}`
}

function rulesOf({ path, may, packages, node }) {
  const name = path.slice(0, -1)
  const own = {
    name,
    comment: `${name} may import ${[...may, ...packages].join(', ') || 'nothing'} besides itself`,
    severity: 'error',
    from: { path: inSrc(path) },
    to: {
      dependencyTypesNot: ['core'],
      pathNot: [
        ...[path, ...may].map(inSrc),
        ...packages.map((used) => `^node_modules/(@types/)?${used}/`),
      ],
    },
  }
  const pure = {
    name: `${name} without node`,
    comment: `${name} works without other modules of Node`,
    severity: 'error',
    from: { path: inSrc(path) },
    to: {
      dependencyTypes: ['core'],
      ...(Array.isArray(node) ? { pathNot: `^(${node.join('|')})$` } : {}),
    },
  }
  return node === true ? [own] : [own, pure]
}

export default {
  forbidden: [
    ...parts.flatMap(rulesOf),
    {
      name: 'every part has an entry',
      comment: 'A new folder says in .dependency-cruiser.mjs what it may import.',
      severity: 'error',
      from: { path: '^src/', pathNot: [...parts.map(({ path }) => path), ...assembly].map(inSrc) },
      to: {},
    },
    {
      name: 'src without tests',
      comment: 'What is shipped does not know its tests.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(spec|property-tests|samples)/' },
    },
    {
      name: 'src without development packages',
      comment: 'What is shipped runs on the dependencies of package.json alone.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'oracles on their own',
      comment: 'An oracle shares no code with the engine that it judges; types are no code.',
      severity: 'error',
      from: { path: '^property-tests/models/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no orphans',
      comment: 'A module that nobody imports and that imports nothing is left over.',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: [...assembly, ...unimported].map(inSrc) },
      to: {},
    },
    {
      name: 'nothing unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|reports|coverage|\\.cache|\\.stryker-tmp)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
