import type { LayoutFormat } from './document.ts';
import { type LayoutKind, layoutKinds } from './layout-kinds.ts';
import { declaredSize } from './office/zip.ts';

/** Imports the code of a format when the format is first used, so that only the libraries of this format are loaded. */
export const layoutFormats: Record<LayoutKind, () => Promise<LayoutFormat>> = {
  pdf: () => import('./pdf.ts'),
  docx: () => import('./docx.ts'),
  xlsx: () => import('./xlsx.ts'),
  pptx: () => import('./pptx.ts'),
  odt: async () => (await import('./opendocument.ts')).odt,
  ods: async () => (await import('./opendocument.ts')).ods,
  odp: async () => (await import('./opendocument.ts')).odp,
  json: () => import('./json.ts'),
  yaml: () => import('./yaml.ts'),
  po: () => import('./po.ts'),
  properties: () => import('./properties.ts'),
  srt: async () => (await import('./subtitles.ts')).srt,
  vtt: async () => (await import('./subtitles.ts')).vtt,
  android: () => import('./android.ts'),
  strings: () => import('./strings.ts'),
  stringsdict: () => import('./stringsdict.ts'),
  xcstrings: () => import('./xcstrings.ts'),
  xliff: () => import('./xliff-document.ts'),
  html: () => import('./html-document.ts'),
  md: () => import('./markdown.ts'),
  mdx: async () => (await import('./markdown.ts')).mdx,
  txt: () => import('./plain-text.ts'),
};

/**
 * Estimates how many bytes a reader of the file will process, without reading the file. For an Office file, this is the
 * unpacked size that its zip directory declares, because the content may be compressed a thousandfold. If the directory
 * cannot be read, the estimate is the size of the file, and the file is rejected later.
 */
export function sizeToRead(kind: LayoutKind, bytes: Uint8Array): number {
  return layoutKinds[kind].reader === 'office' ? Math.max(bytes.length, declaredSize(bytes)) : bytes.length;
}
