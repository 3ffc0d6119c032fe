/** The texts of a file that are translated only if a request includes them. */
export const includable = [
  'footnotes',
  'endnotes',
  'comments',
  'text_boxes',
  'content_controls',
  'tracked_changes',
  'charts',
  'table_headers',
  'sheet_names',
  'masters',
  'hidden',
] as const;

export type Includable = (typeof includable)[number];

/**
 * The forms of a translated file. `translated` is the file in its own format; `bilingual` has the source and the
 * translation; `docx` is a Word file with the text of a PDF.
 */
export const outputs = ['translated', 'bilingual', 'docx'] as const;

export type Output = (typeof outputs)[number];

/** The field of a gettext entry that has the text to translate. */
export const sourceFields = ['msgid', 'msgstr'] as const;

/** Selects the texts of a file that are translated, and the form of the result. Without a field, the default applies. */
export interface Selection {
  /** The ranges of pages of a PDF or of slides, such as `1-3` and `7`, or the names of sheets. Undefined for all. */
  pages?: string[] | undefined;
  include?: Includable[] | undefined;
  /** The columns of sheets whose cells stay, such as `A`, or `Labels!A` for one sheet. */
  excludeColumns?: string[] | undefined;
  /** Undefined for `translated`. */
  output?: Exclude<Output, 'translated'> | undefined;
  /** Undefined to determine it from the catalog. */
  sourceField?: (typeof sourceFields)[number] | undefined;
  /** The maximum number of characters of a subtitle's line. Undefined for the default of the language. */
  lineLength?: number | undefined;
  /** The maximum number of characters of a subtitle for each second. Undefined for the default of the language. */
  readingSpeed?: number | undefined;
  /** Names of keys and attributes whose values are texts, in addition to the usual ones. Undefined for none. */
  ownNames?: { keys: string[]; attributes: string[] } | undefined;
}
