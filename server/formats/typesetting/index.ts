/**
 * Typesetting: text into shaped, positioned lines (`shapeParagraph`, `breakLines`), and lines into PDF content with
 * embedded subset fonts whose text can be copied out as it was (`DocumentFonts`). HarfBuzz shapes and subsets; Unicode's
 * bidirectional and line breaking algorithms come from libraries.
 */
export { DocumentFonts, type ShownLine, type TextMatrix } from './document-fonts.ts';
export { type Direction, directionOf, fontOf, lineHeightOf } from './languages.ts';
export { breakLines, extentOf, type GlyphRun, type Line, singleLine } from './lines.ts';
export { type Paragraph, shapeParagraph } from './paragraph.ts';
export type { Cluster, PlacedGlyph } from './shape.ts';
