/** A line of the package's HISTORY.md, and what the histories of media types are if it is true. */
export type Fact = {
  readonly version: string
  readonly says: string
  readonly histories: Readonly<Record<string, readonly string[]>>
}

/** Facts of every kind: types that come, go and are renamed; values that are set, changed and taken away. */
export const FACTS: readonly Fact[] = [
  {
    version: '1.1.2',
    says: 'Rebuild database for `application/x-www-form-urlencoded` change',
    histories: {
      'application/x-www-form-urlencode': ['[0.0.0, 1.1.2) incompressible'],
      'application/x-www-form-urlencoded': [
        '[0.0.0, 1.0.0)',
        '[1.0.0, 1.1.2) iana',
        '[1.1.2, ∞) iana compressible',
      ],
    },
  },
  {
    version: '1.2.0',
    says: 'Type `application/epub+zip` is now IANA-registered',
    histories: {
      'application/epub+zip': [
        '[0.0.0, 1.0.0) .epub',
        '[1.0.0, 1.2.0) apache .epub',
        '[1.2.0, 1.34.0) iana .epub',
        '[1.34.0, ∞) iana incompressible .epub',
      ],
    },
  },
  {
    version: '1.4.0',
    says: 'Remove example template MIME types',
    histories: {
      'application/example': ['[0.0.0, 1.0.0)', '[1.0.0, 1.4.0) iana'],
      'text/example': ['[0.0.0, 1.0.0) UTF-8 compressible', '[1.0.0, 1.4.0) iana'],
    },
  },
  {
    version: '1.5.0',
    says: '- `audio/g721`',
    histories: { 'audio/g721': ['[0.0.0, 1.0.0) incompressible', '[1.0.0, 1.5.0) iana'] },
  },
  {
    version: '1.9.1',
    says: 'Remove `.json` extension from `application/manifest+json`',
    histories: {
      'application/manifest+json': [
        '[1.9.1, 1.49.0) UTF-8 compressible .webmanifest',
        '[1.49.0, ∞) iana UTF-8 compressible .webmanifest',
      ],
    },
  },
  {
    version: '1.13.0',
    says: 'Add nginx as a source',
    histories: { 'text/mathml': ['[1.13.0, ∞) nginx .mml'] },
  },
  {
    version: '1.22.0',
    says: 'Fix extension of `application/dash+xml` to be `.mpd`',
    histories: {
      'application/dash+xml': [
        '[0.0.0, 1.0.0) compressible .mdp',
        '[1.0.0, 1.22.0) iana .mdp',
        '[1.22.0, 1.34.0) iana .mpd',
        '[1.34.0, ∞) iana compressible .mpd',
      ],
    },
  },
  {
    version: '1.22.0',
    says: 'Update primary extension to `.m4a` for `audio/mp4`',
    histories: {
      'audio/mp4': [
        '[0.0.0, 1.0.0) incompressible .mp4a .m4a',
        '[1.0.0, 1.0.1) iana incompressible .m4a .mp4a',
        '[1.0.1, 1.22.0) iana incompressible .mp4a .m4a',
        '[1.22.0, 1.54.0) iana incompressible .m4a .mp4a',
        '[1.54.0, ∞) iana incompressible .m4a .mp4a .m4b',
      ],
    },
  },
  {
    version: '1.26.0',
    says: 'Add extension `.geojson` to `application/geo+json`',
    histories: {
      'application/geo+json': [
        '[1.24.0, 1.26.0) iana compressible',
        '[1.26.0, ∞) iana compressible .geojson',
      ],
    },
  },
  {
    version: '1.28.0',
    says: 'Update extensions `.md` and `.markdown` to be `text/markdown`',
    histories: {
      'text/markdown': [
        '[1.3.0, 1.28.0) iana',
        '[1.28.0, 1.53.0) iana compressible .markdown .md',
        '[1.53.0, ∞) iana compressible .md .markdown',
      ],
    },
  },
  {
    version: '1.29.0',
    says: 'Add `UTF-8` as default charset for `text/css`',
    histories: {
      'text/css': [
        '[0.0.0, 1.0.0) UTF-8 compressible .css',
        '[1.0.0, 1.29.0) iana compressible .css',
        '[1.29.0, ∞) iana UTF-8 compressible .css',
      ],
    },
  },
  {
    version: '1.30.0',
    says: 'Update `font/opentype` to registered `font/otf`',
    histories: {
      'font/opentype': ['[0.0.0, 1.30.0) compressible .otf'],
      'font/otf': ['[1.30.0, 1.31.0) compressible .otf', '[1.31.0, ∞) iana compressible .otf'],
    },
  },
  {
    version: '1.32.0',
    says: 'Update `text/hjson` to registered `application/hjson`',
    histories: {
      'text/hjson': ['[1.3.1, 1.32.0) .hjson'],
      'application/hjson': ['[1.32.0, ∞) .hjson'],
    },
  },
  {
    version: '1.33.0',
    says: 'Remove `application/font-woff2`',
    histories: { 'application/font-woff2': ['[1.1.0, 1.33.0) incompressible .woff2'] },
  },
  {
    version: '1.42.0',
    says: 'Remove compressible from `multipart/mixed`',
    histories: {
      'multipart/mixed': [
        '[0.0.0, 1.0.0) incompressible',
        '[1.0.0, 1.42.0) iana incompressible',
        '[1.42.0, ∞) iana',
      ],
    },
  },
  {
    version: '1.45.0',
    says: 'Fix extension of `application/vnd.apple.keynote` to be `.key`',
    histories: {
      'application/vnd.apple.keynote': ['[1.36.0, 1.45.0) iana .keynote', '[1.45.0, ∞) iana .key'],
    },
  },
  {
    version: '1.53.0',
    says: 'Remove extension `.mjs` from `application/javascript`',
    histories: {
      'application/javascript': [
        '[0.0.0, 1.0.0) UTF-8 compressible .js',
        '[1.0.0, 1.30.0) iana UTF-8 compressible .js',
        '[1.30.0, 1.53.0) iana UTF-8 compressible .js .mjs',
        '[1.53.0, ∞) apache UTF-8 compressible .js',
      ],
    },
  },
]
