/** The kinds of glossary files. Each kind is the extension of its files. */
export const glossaryKinds = ['csv', 'tmx', 'tbx', 'xlsx', 'json'] as const;

export type GlossaryKind = (typeof glossaryKinds)[number];
