import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Blob, Face, Font } from 'harfbuzzjs';
import { familyName, isCondensedName, namedWeight, type OperatorFont, versionOf } from './operator-fonts.ts';
import { drawnOutlines } from './typesetting/subset-font.ts';
import { readTables, viewOf } from './typesetting/truetype.ts';

/** The limits of the operator's fonts. All files are read at the start, and a document loads those that it uses. */
const limits = { files: 200, bytes: 100_000_000 };

/** Bits of `fsType` in the table `OS/2`: what the license of a font permits. */
const usage = { restricted: 0x2, printing: 0x4, editing: 0x8, noSubsetting: 0x100, bitmapsOnly: 0x200 };

/** Why a font cannot be used. */
class FontProblem extends Error {}

/**
 * Reads and checks the fonts in a directory: the files with the extensions of fonts.
 * @returns the fonts, or the reason why one of them cannot be used
 */
export function readFonts(directory: string): { fonts: OperatorFont[] } | { problem: string } {
  try {
    const names = readdirSync(directory)
      .filter((name) => /^[^.].*\.(ttf|otf|ttc|otc)$/i.test(name))
      .sort();
    if (names.length > limits.files)
      return { problem: `${directory} has ${names.length} fonts; at most ${limits.files} are allowed` };
    let left = limits.bytes;
    const fonts: OperatorFont[] = [];
    for (const name of names) {
      const file = `${directory}/${name}`;
      try {
        const found = statSync(file);
        if (!found.isFile()) throw new FontProblem('is not a file');
        left -= found.size;
        if (left < 0) return { problem: `the fonts in ${directory} have more than ${limits.bytes} bytes` };
        fonts.push(readFont(file));
      } catch (error) {
        return { problem: `${file} ${reasonOf(error)}` };
      }
    }
    return { fonts };
  } catch (error) {
    return { problem: `${directory} ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof FontProblem) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined
    ? 'is damaged'
    : `cannot be read by the user of file readers (${code}); everyone must be able to read it`;
}

function readFont(file: string): OperatorFont {
  const version = versionOf(file) ?? '';
  const bytes = readFileSync(file);
  const start = bytes.toString('latin1', 0, 4);
  if (start === 'ttcf') throw new FontProblem('is a collection of fonts; store each font in its own file');
  if (!['\0\x01\0\0', 'true', 'OTTO'].includes(start))
    throw new FontProblem('is neither a TrueType nor an OpenType font');
  const tables = readTables(bytes);
  for (let index = 0; index < tables.size; index++)
    if (viewOf(bytes).getUint32(20 + 16 * index) + viewOf(bytes).getUint32(24 + 16 * index) > bytes.length)
      throw new FontProblem('is damaged: its end is missing');
  const missing = ['OS/2', 'cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name'].find(
    (tag) => (tables.get(tag)?.length ?? 0) === 0,
  );
  if (missing) throw new FontProblem(`is damaged: it has no table ${missing}`);
  const os2 = viewOf(tables.get('OS/2')!);
  const type = os2.getUint16(8);
  const mayEmbed = (type & usage.restricted) === 0 || (type & (usage.printing | usage.editing)) !== 0;
  if (!mayEmbed) throw new FontProblem('does not permit embedding (OS/2 fsType)');
  if ((type & (usage.noSubsetting | usage.bitmapsOnly)) !== 0)
    throw new FontProblem('does not permit embedding a part of its outlines (OS/2 fsType)');
  const face = new Face(new Blob(bytes));
  const nameOf = (id: number): string => face.getName(id, 'en');
  const postScript = nameOf(6) || nameOf(4);
  // Drawing some letters finds damaged outlines before a document does.
  const letters = [...face.collectUnicodes()].slice(0, 100);
  const font = new Font(face);
  const glyphs = new Set(letters.map((letter) => font.nominalGlyph(letter) ?? 0));
  drawnOutlines(bytes, font, glyphs);
  if (![...glyphs].some((id) => font.glyphToPath(id)))
    throw new FontProblem('is damaged: it has no outlines');
  return {
    file,
    version,
    postScriptName: postScript.replace(/[^A-Za-z0-9-]/g, '').slice(0, 60) || 'Font',
    families: [...new Set([1, 16].map(nameOf).concat(postScript).map(familyName))].filter(Boolean),
    weight: namedWeight(postScript) ?? os2.getUint16(4),
    isItalic: (os2.getUint16(62) & 0x201) !== 0 || (viewOf(tables.get('head')!).getUint16(44) & 2) !== 0,
    isCondensed: isCondensedName(postScript),
  };
}
