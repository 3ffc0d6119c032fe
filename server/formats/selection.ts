import type { LayoutKind } from './document-kind.ts';
import type { KeptClass } from './text-tally.ts';

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
  /** The page ranges of a PDF, such as `1-3` and `7`, or the names of sheets. Undefined for all. */
  pages?: string[] | undefined;
  include?: Includable[] | undefined;
  /** Undefined for `translated`. */
  output?: Exclude<Output, 'translated'> | undefined;
}

/** Returns the format of the result for a file of a format. */
export function resultFormat(format: LayoutKind, { output }: Pick<Selection, 'output'>): LayoutKind {
  return output === 'docx' ? 'docx' : format;
}

/** The values of a selection that a format supports. */
interface Support {
  pages: 'ranges' | 'sheets' | null;
  include: readonly Includable[];
  output: readonly Output[];
}

export const supported: Readonly<Record<LayoutKind, Support>> = {
  pdf: { pages: 'ranges', include: [], output: ['translated', 'bilingual', 'docx'] },
  docx: {
    pages: null,
    include: [
      'footnotes',
      'endnotes',
      'comments',
      'text_boxes',
      'content_controls',
      'tracked_changes',
      'charts',
      'hidden',
    ],
    output: ['translated', 'bilingual'],
  },
  // The cells of hidden sheets, rows and columns are always translated.
  xlsx: {
    pages: 'sheets',
    include: ['comments', 'text_boxes', 'charts', 'table_headers', 'sheet_names', 'hidden'],
    output: ['translated'],
  },
};

/** Returns the class of texts that a request does not include: whether it could include them. */
export function classOf(format: LayoutKind, reason: string): KeptClass {
  return (supported[format].include as readonly string[]).includes(reason) ? 'not_selected' : 'kept';
}
