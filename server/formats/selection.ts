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

/** Selects the texts of a file that are translated, and the form of the result. Without a field, the default applies. */
export interface Selection {
  /** The ranges of pages of a PDF or of slides, such as `1-3` and `7`, or the names of sheets. Undefined for all. */
  pages?: string[] | undefined;
  include?: Includable[] | undefined;
  /** Undefined for `translated`. */
  output?: Exclude<Output, 'translated'> | undefined;
}
