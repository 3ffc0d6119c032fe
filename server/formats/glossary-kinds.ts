/** The kinds of glossary files. Each kind is the extension of its files. */
export const glossaryKinds = ['csv', 'tmx', 'tbx', 'xlsx', 'json'] as const;

export type GlossaryKind = (typeof glossaryKinds)[number];

/** The extensions of glossary files, without dots: those of the kinds, and that of CSV files with tabs. */
export const glossaryExtensions = [...glossaryKinds, 'tsv'] as const;
