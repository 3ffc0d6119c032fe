import { strToU8, zipSync } from 'fflate';

const namespaces = ['office', 'text', 'table', 'style', 'presentation']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
  )
  .join(' ');
const textStyle = (name: string, properties: string) =>
  `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`;
const automatic = [
  textStyle('B', 'fo:font-weight="bold"'),
  textStyle('B2', 'fo:language="en" fo:font-weight="bold"'),
  textStyle('I', 'fo:font-style="italic"'),
  '<style:style style:name="hidden" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>',
  textStyle('R', 'xmlns:officeooo="x" officeooo:rsid="001"'),
].join('');

/** The content of a file: the XML of its body, of its common styles, and further entries. */
export interface Parts {
  kind?: 'text' | 'spreadsheet' | 'presentation';
  body: string;
  styles?: string;
  more?: Record<string, string>;
  /** Whether the manifest lists the parts, as programs need it. */
  isComplete?: boolean;
}

const manifestOf = (kind: string): string =>
  `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.${kind}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`;

/** Makes an OpenDocument file. */
export function fileOf({ kind = 'text', body, styles, more = {}, isComplete = false }: Parts): Uint8Array {
  const content = `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content ${namespaces}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
  const entries: Record<string, Uint8Array> = {
    'content.xml': strToU8(content),
    ...(styles !== undefined && {
      'styles.xml': strToU8(`<office:document-styles ${namespaces}>${styles}</office:document-styles>`),
    }),
    'META-INF/manifest.xml': strToU8(isComplete ? manifestOf(kind) : '<manifest/>'),
    ...Object.fromEntries(Object.entries(more).map(([name, text]) => [name, strToU8(text)])),
  };
  return zipSync({
    mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
    ...entries,
  });
}
