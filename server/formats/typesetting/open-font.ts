import { Blob, Face, Font } from 'harfbuzzjs';
import { type Coverage, coverageOf } from './coverage.ts';
import { type FontName, loadFont } from './font-files.ts';

/** A font ready for shaping. */
export interface OpenFont {
  font: Font;
  coverage: Coverage;
  unitsPerEm: number;
  /** Height above and depth below the baseline that its lines need, in em; depth is positive. */
  ascent: number;
  descent: number;
}

/** Never emptied: it holds each font once, together some 32 MB, and most processes meet a few of them. */
const opened = new Map<FontName, OpenFont>();

/** The font, read from disk at its first use. */
export function openFont(name: FontName): OpenFont {
  let open = opened.get(name);
  if (!open) {
    const face = new Face(new Blob(loadFont(name)));
    const font = new Font(face);
    const { ascender, descender } = font.hExtents();
    open = {
      font,
      coverage: coverageOf(face.collectUnicodes()),
      unitsPerEm: face.upem,
      ascent: ascender / face.upem,
      descent: -descender / face.upem,
    };
    opened.set(name, open);
  }
  return open;
}
