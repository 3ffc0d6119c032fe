import { describe, expect, it } from 'vitest';
import { declared, readAll, tmxOf, tmxOfPair, tuv } from './tmx-units.ts';

const sourceOf = (seg: string): string | undefined => readAll(tmxOfPair(seg)).pairs[0]?.source;
const textsOf = (body: string, sides = declared('en', 'fr')): string[][] =>
  readAll(tmxOf(body), sides).pairs.map(({ source, target }) => [source, target]);

describe('inline markup containers are dropped and highlighted content is kept (B 4.4)', () => {
  it.each(['bpt', 'ept', 'ph', 'it', 'ut', 'sub'])('<%s> with all that is in it', (name) => {
    expect(sourceOf(`a<${name} i="1">&lt;b>x<sub>y</sub><hi>z</hi>w</${name}>b<${name}/>c`)).toBe('abc');
  });

  it.each<[rule: string, seg: string, text: string]>([
    ['hi', 'a <hi type="x">b</hi> c', 'a b c'],
    ['hi in hi', '<hi>a<hi>b<hi/></hi>c</hi>d', 'abcd'],
    ['an element that the format does not have', 'a<g>b<ph>x</ph></g>c', 'abc'],
    ['a unit within a segment', 'a<tu><tuv xml:lang="fr"><seg>b</seg></tuv></tu>c', 'abc'],
    ['comments and instructions', 'a<!-- x -->b<?x y?>c', 'abc'],
    ['CDATA', 'a<![CDATA[<b>&amp;]]]]>c', 'a<b>&amp;]]c'],
    ['whitespace', ' a \t\n  b ', ' a \t\n  b '],
    ['line ends', 'a\r\nb\rc\n\r\nd&#13;', 'a\nb\nc\n\nd\r'],
  ])('%s', (_, seg, text) => {
    expect(sourceOf(seg)).toBe(text);
  });
});

describe('the two sides of a unit (B 4.5)', () => {
  it.each<[rule: string, body: string, texts: string[][]]>([
    ['any case, any region', `<tu>${tuv('EN-us', 'a')}${tuv('FR-be', 'b')}</tu>`, [['a', 'b']]],
    [
      'lang is xml:lang',
      '<tu><tuv lang="en"><seg>a</seg></tuv><tuv lang="fr"><seg>b</seg></tuv></tu>',
      [['a', 'b']],
    ],
    [
      'but xml:lang counts where both are there',
      `<tu>${tuv('en', 'a', 'lang="fr"')}${tuv('fr', 'b', 'lang="en"')}</tu>`,
      [['a', 'b']],
    ],
    ['variants never cross', `<tu>${tuv('en', 'a')}${tuv('fr-CA', 'b')}</tu>`, []],
    ['one side only', `<tu>${tuv('en', 'a')}</tu>`, []],
    ['the same side twice', `<tu>${tuv('en', 'a')}${tuv('en-GB', 'b')}</tu>`, []],
    ['no language', '<tu><tuv><seg>a</seg></tuv><tuv lang=""><seg>b</seg></tuv></tu>', []],
    ['empty', `<tu>${tuv('en', '')}${tuv('fr', 'b')}</tu>`, []],
    ['only markup', `<tu>${tuv('en', 'a')}${tuv('fr', '<ph>x</ph>')}</tu>`, []],
    [
      'of two that read the same, the first with text',
      `<tu>${tuv('en-AU', ' ')}${tuv('en-GB', 'a')}${tuv('en-NZ', 'x')}${tuv('fr', 'b')}</tu>`,
      [['a', 'b']],
    ],
    [
      'a unit keeps nothing of the one before',
      `<tu>${tuv('en', 'a')}</tu><tu>${tuv('fr', 'b')}</tu><tu/><tu>${tuv('en', 'c')}${tuv('fr', 'd')}</tu>`,
      [['c', 'd']],
    ],
    [
      'text of notes and properties is none of a segment',
      `<tu><note>x</note><prop type="t">x</prop>x${'<tuv xml:lang="en"><note>x</note>x<prop type="t">x</prop><seg>a</seg>x</tuv>'}${tuv('fr', 'b')}</tu>`,
      [['a', 'b']],
    ],
    [
      'elements count in their own place only',
      `<note><tu>${tuv('en', 'x')}${tuv('fr', 'x')}</tu></note><tu><x>${tuv('en', 'x')}</x>${tuv('en', 'a')}${tuv('fr', 'b')}</tu>`,
      [['a', 'b']],
    ],
  ])('%s', (_, body, texts) => {
    expect(textsOf(body)).toEqual(texts);
  });

  it.each([
    ['an element of the body that is no unit', `<x>${tuv('en', 'a')}${tuv('fr', 'b')}</x>`, []],
    [
      'an element of a unit that is no variant',
      `<tu><x xml:lang="en"><seg>x</seg></x>${tuv('en', 'a')}${tuv('fr', 'b')}</tu>`,
      [['a', 'b']],
    ],
    [
      'of several segments, the first that is not empty',
      `<tu><tuv xml:lang="en"><seg/><seg>a</seg><seg>x</seg></tuv>${tuv('fr', 'b')}</tu>`,
      [['a', 'b']],
    ],
  ])('%s', (_, body, texts) => {
    expect(textsOf(body)).toEqual(texts);
  });

  const regions = `<tu>${tuv('en-US', 'us')}${tuv('EN-GB', 'gb')}${tuv('en', 'en')}${tuv('fr', 'b')}</tu>`;

  it.each([
    ['en', 'en'],
    ['en-GB', 'gb'],
    ['en-us', 'us'],
    ['en-AU', 'us'],
  ])('of variants that read the same, the one declared: %s', (tag, text) => {
    expect(textsOf(regions, declared(tag, 'fr'))).toEqual([[text, 'b']]);
  });

  it('of variants in one language, the declared tags tell the sides apart', () => {
    expect(textsOf(regions, declared('en-US', 'en-GB'))).toEqual([['us', 'gb']]);
    const [us, gb, au] = [tuv('en-US', 'us'), tuv('en-GB', 'gb'), tuv('en-AU', 'au')];
    expect(textsOf(`<tu>${gb}${au}</tu>`, declared('en-US', 'en-GB'))).toEqual([['au', 'gb']]);
    expect(textsOf(`<tu>${us}${au}</tu>`, declared('en-US', 'en-GB'))).toEqual([['us', 'au']]);
    expect(textsOf(regions, declared('en-AU', 'en-NZ'))).toEqual([]);
  });

  it('all units are counted, and those that are skipped', () => {
    const { summary } = readAll(tmxOf(`<tu/>${regions}<tu>${tuv('en', 'a')}</tu>`));
    expect(summary).toEqual({ units: 3, skipped: 2 });
  });
});

describe('the fields of a unit', () => {
  it.each<[rule: string, written: string, tuid: string | null]>([
    ['is as written', 'tuid="a &lt; b"', 'a < b'],
    ['may be absent', '', null],
    ['may be empty', 'tuid=""', null],
  ])('its tuid %s', (_, attributes, tuid) => {
    expect(readAll(tmxOfPair('a', 'b', attributes)).pairs[0]!.tuid).toBe(tuid);
  });

  it.each<[rule: string, unit: string, target: string, source: string, changedate: string | null]>([
    ['the unit', '20240103T000000Z', '20240102T000000Z', '20240101T000000Z', '2024-01-03T00:00:00Z'],
    ['else the target', '', '20240102T000000Z', '20240103T000000Z', '2024-01-02T00:00:00Z'],
    ['one that can be read', 'yesterday', '20241301T000000Z', '20240101T000000Z', '2024-01-01T00:00:00Z'],
    ['none', '', '', '', null],
  ])('its changedate: %s', (_, unit, target, source, changedate) => {
    const body = `<tu changedate="${unit}">${tuv('en', 'a', `changedate="${source}"`)}${tuv('fr', 'b', `changedate="${target}"`)}</tu>`;
    expect(readAll(tmxOf(body)).pairs[0]!.changedate).toBe(changedate);
  });

  it('its line is that of its <', () => {
    const end = '\r\n';
    const unit = `<tu${end}tuid="1"${end}>${tuv('en', `a${end}a`)}${end}${tuv('fr', 'b')}</tu>`;
    const body = `${end}<!--${end}-->${unit}${unit}${end}<tu tuid="2">${tuv('en', 'a')}${tuv('fr', 'b')}</tu>`;
    const { pairs } = readAll(`<tmx>${end}<body>${body}</body></tmx>`);
    expect(pairs.map(({ line }) => line)).toEqual([4, 8, 13]);
  });
});
