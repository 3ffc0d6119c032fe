import { loadSubsetter } from './fonts.ts';

/**
 * The functions of HarfBuzz's subsetter that are used here. Pointers are offsets in the memory of its WebAssembly
 * instance.
 */
interface Subsetter {
  memory: { buffer: ArrayBuffer };
  _initialize(): void;
  malloc(size: number): number;
  free(pointer: number): void;
  hb_blob_create(data: number, length: number, mode: number, user: number, destroy: number): number;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_reference_blob(face: number): number;
  hb_set_add(set: number, value: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_glyph_set(input: number): number;
  hb_subset_input_set(input: number, type: number): number;
  hb_subset_input_set_flags(input: number, flags: number): void;
  hb_subset_or_fail(face: number, input: number): number;
}

const noHinting = 0x1;
const retainGlyphIds = 0x2;
const outlineOfNotdef = 0x40;
const noLayoutClosure = 0x200;
const readOnlyMemory = 1;
const tablesToDrop = 3;

/** The tables of a font that shaping needs and drawing does not need. They are removed. */
const shapingTables = [
  'GSUB',
  'GPOS',
  'GDEF',
  'BASE',
  'STAT',
  'kern',
  'vhea',
  'vmtx',
  'VORG',
  'DSIG',
  'meta',
];

/** Node has this global object, but the TypeScript library in use does not declare it. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object) => { exports: unknown };
  };
};

let compiled: object | undefined;

/**
 * Returns a TrueType font that has only the outlines of these glyphs, of their components, and of the box for missing
 * characters. Glyph ids stay the same. Each call uses a new WebAssembly instance, because the memory of an instance can
 * only be freed with the instance.
 *
 * @throws {Error} if the font cannot be reduced
 */
export function subsetFont(font: Uint8Array, glyphIds: Iterable<number>): Uint8Array {
  compiled ??= new WebAssembly.Module(loadSubsetter());
  const hb = new WebAssembly.Instance(compiled).exports as Subsetter;
  hb._initialize();
  const source = hb.malloc(font.length);
  new Uint8Array(hb.memory.buffer).set(font, source);
  const face = hb.hb_face_create(hb.hb_blob_create(source, font.length, readOnlyMemory, 0, 0), 0);
  const input = hb.hb_subset_input_create_or_fail();
  const glyphs = hb.hb_subset_input_glyph_set(input);
  for (const id of glyphIds) hb.hb_set_add(glyphs, id);
  const dropped = hb.hb_subset_input_set(input, tablesToDrop);
  for (const tag of shapingTables) hb.hb_set_add(dropped, tagNumber(tag));
  hb.hb_subset_input_set_flags(input, noHinting | retainGlyphIds | outlineOfNotdef | noLayoutClosure);
  const subset = hb.hb_subset_or_fail(face, input);
  if (!subset) throw new Error('The font could not be subset');
  const blob = hb.hb_face_reference_blob(subset);
  const start = hb.hb_blob_get_data(blob, 0);
  return new Uint8Array(hb.memory.buffer).slice(start, start + hb.hb_blob_get_length(blob));
}

function tagNumber(tag: string): number {
  return [...tag].reduce((number, letter) => (number << 8) | letter.charCodeAt(0), 0);
}
