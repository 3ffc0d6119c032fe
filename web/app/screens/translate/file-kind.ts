import type { supported } from '#server/formats/selection.ts';

type LayoutKind = keyof typeof supported;

/**
 * The ways in which a file can be translated. `text`: only its text, page by page; `layout`: the whole file, keeping
 * its layout. Both, one or none may be possible.
 */
export interface FilePaths {
  text: boolean;
  layout: boolean;
}

const textExtensions = /\.(csv|docx|html?|json|md|pdf|txt|xml)$/i;
const layoutExtensions = /\.(pdf|docx|xlsx)$/i;

/** The format of a file that can keep its layout, by its extension. */
export function layoutFormatOf({ name }: Pick<File, 'name'>): LayoutKind | undefined {
  const [, extension] = layoutExtensions.exec(name) ?? [];
  return extension === undefined ? undefined : (extension.toLowerCase() as LayoutKind);
}

/** The extensions that the file dialog offers. */
export const accepted = '.csv,.docx,.htm,.html,.json,.md,.pdf,.txt,.xlsx,.xml';

/**
 * The ways in which a file can be translated, according to its extension. Used before the file is sent; the service
 * then decides.
 */
export function pathsOf({ name }: Pick<File, 'name'>): FilePaths {
  return { text: textExtensions.test(name), layout: layoutExtensions.test(name) };
}
