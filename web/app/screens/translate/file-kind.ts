import { allExtensions, kindOfExtension, type LayoutKind } from '#server/formats/layout-kinds.ts';

/**
 * The ways in which a file can be translated. `text`: only its text, page by page; `layout`: the whole file, keeping
 * its layout. Both, one or none may be possible.
 */
export interface FilePaths {
  text: boolean;
  layout: boolean;
}

const textExtensions = /\.(csv|docx|html?|json|md|pdf|txt|xml)$/i;

/** The format of a file that can keep its layout, by its extension. */
export function layoutFormatOf({ name }: Pick<File, 'name'>): LayoutKind | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(name) ?? [];
  return kindOfExtension(extension.toLowerCase());
}

/** The extensions that the file dialog offers. */
export const accepted = [...new Set(['csv', 'htm', 'html', 'json', 'md', 'txt', 'xml', ...allExtensions])]
  .sort()
  .map((extension) => `.${extension}`)
  .join(',');

/**
 * The ways in which a file can be translated, according to its extension. Used before the file is sent; the service
 * then decides.
 */
export function pathsOf(file: Pick<File, 'name'>): FilePaths {
  return { text: textExtensions.test(file.name), layout: layoutFormatOf(file) !== undefined };
}
