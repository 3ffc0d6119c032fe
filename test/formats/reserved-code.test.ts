import { describe, expect, it } from 'vitest';
import type { LayoutFormat } from '#server/formats/document.ts';
import * as html from '#server/formats/html-document.ts';
import * as markdown from '#server/formats/markdown.ts';
import * as po from '#server/formats/po.ts';
import * as yaml from '#server/formats/yaml.ts';
import { marked, segmentsOf, translate } from './markup-files.ts';

/** The texts of a file, each with its words marked, and the reasons for which others stay. */
async function outcomeOf(format: LayoutFormat, file: string) {
  const { segments, outcome } = await format.extract(Buffer.from(file), { sourceLanguage: 'en' });
  expect(outcome?.unaccounted).toBe(0);
  return { texts: segments.length, kept: outcome!.kept.map(({ reason, texts }) => `${reason} ${texts}`) };
}

describe('what a program reads', () => {
  it.each<[string, string, string]>([
    ['default:LTR', 'ar', 'default:RTL'],
    ['default:LTR', 'fr', ''],
    ['default:mm', 'ar', ''],
    ['calendar:week_start:0', 'fr', ''],
    ['translator-credits', 'fr', ''],
    ['QT_LAYOUT_DIRECTION', 'fa', 'RTL'],
    ['html_lang_attribute', 'de', 'de'],
    ["external ref='a.png' md5='1'", 'de', ''],
  ])('the entry %s of a catalog in %s is %j', async (id, language, expected) => {
    const file = `msgid "${id}"\nmsgstr ""\n\nmsgid "Open"\nmsgstr ""\n`;
    const result = await translate(po, file, marked, language);
    expect(result).toBe(
      file
        .replace('msgstr ""', `msgstr "${expected}"`)
        .replace('msgid "Open"\nmsgstr ""', 'msgid "Open"\nmsgstr "Open§"'),
    );
  });

  it.each<[string, string, string]>([
    ['NAME OF TRANSLATORS', 'Your names', ''],
    ['calendar:day:digits', '%d.', ''],
    ['Word count type. Do not translate!', 'words', ''],
    ['text direction', 'ltr', 'rtl'],
    ['Menu', 'Your names', 'Your§ names§'],
  ])('so is an entry in the context %s', async (context, id, expected) => {
    const file = `msgctxt "${context}"\nmsgid "${id}"\nmsgstr ""\n`;
    expect(await translate(po, file, marked, 'ar')).toBe(file.replace('msgstr ""', `msgstr "${expected}"`));
  });

  it('values with tags of YAML stay, but texts with a tag do not', async () => {
    const file = `order: [!ruby/symbol year, :day]\ntext: !!str "Some words"\nsafe: !ruby/string "More words"\njob: !reference [build, script]\nat: !GetAtt Queue.Arn\nname: !include other file.yml\n`;
    expect(await translate(yaml, file, marked)).toBe(
      file.replace('Some words', 'Some§ words§').replace('More words', 'More§ words§'),
    );
    expect(await outcomeOf(yaml, file)).toEqual({ texts: 2, kept: ['identifier 6'] });
  });

  it('targets, comments and roles of MyST stay', async () => {
    const file = `(old-wall)=\n## The wall\n\nSee {ref}\`the wall <old-wall>\` now.\n% a note\n\n+++ {"tags": ["x"]}\n\n(a b)=\nText\n`;
    expect(await translate(markdown, file, marked)).toBe(
      file
        .replace('The wall', 'The§ wall§')
        .replace('See', 'See§')
        .replace('now', 'now§')
        .replace('Text', 'Text§'),
    );
    const [, text] = await segmentsOf(markdown, file);
    expect(text!.source).toEqual([
      'See ',
      { tag: 1, type: 'void', isWord: true, code: 'the wall <old-wall>' },
      ' now.',
    ]);
  });

  it('a percent sign begins a text where nothing shows that the file is MyST', async () => {
    expect(await translate(markdown, '% of all\n', marked)).toBe('% of§ all§\n');
  });

  it.each(['ISO-8859-1', 'windows-1252', 'US-ASCII'])(
    'XHTML in UTF-8 does not declare %s',
    async (encoding) => {
      const file = `<?xml version="1.0" encoding="${encoding}"?>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><body><p>Wall</p></body></html>`;
      const result = await translate(html, file, marked);
      expect(result).toBe(file.replace(encoding, 'UTF-8').replace('Wall', 'Wall§'));
    },
  );
});

describe('parts in another declared language stay, and are counted', () => {
  it.each<[string, LayoutFormat, string, string, string[]]>([
    [
      'a block',
      html,
      '<p>A</p><div lang="de">B <b>C</b></div>',
      '<p>A§</p><div lang="de">B <b>C</b></div>',
      ['other_language 2'],
    ],
    [
      'words',
      html,
      '<p>Say <i xml:lang="la">carpe diem</i> now</p>',
      '<p>Say§ <i xml:lang="la">carpe diem</i> now§</p>',
      ['other_language 1'],
    ],
    ['not in a region', html, '<p lang="en-GB">A</p>', '<p lang="en-GB">A§</p>', []],
    [
      'a part in the own language',
      html,
      '<p>A</p><div lang="de">B <p lang="en">C</p></div>',
      '<p>A§</p><div lang="de">B <p lang="en">C§</p></div>',
      ['other_language 1'],
    ],
    [
      'translate="yes" counts more',
      html,
      '<p>A</p><p lang="de" translate="yes">B</p>',
      '<p>A§</p><p lang="de" translate="yes">B§</p>',
      [],
    ],
    [
      'names in a choice',
      html,
      'A <a hreflang="fr">Fran&ccedil;ais</a><a hreflang="fr">French</a><select><option value="de">Deutsch<option value=ja>日本語</select>',
      'A§ <a hreflang="fr">Fran&ccedil;ais</a><a hreflang="fr">French§</a><select><option value="de">Deutsch<option value=ja>日本語</select>',
      ['other_language 3'],
    ],
    [
      'no language',
      html,
      '<p>A</p><p lang="und">B</p><p lang="">C</p>',
      '<p>A§</p><p lang="und">B§</p><p lang="">C§</p>',
      [],
    ],
    [
      'the language of the page',
      html,
      '<html lang="de"><p lang="de">A</p><p lang="fr">B</p></html>',
      '<html lang="en"><p lang="de">A§</p><p lang="fr">B</p></html>',
      ['other_language 1'],
    ],
    ['not the whole file', html, '<div lang="de"><p>A</p></div>', '<div lang="de"><p>A§</p></div>', []],
    [
      'words in Markdown',
      markdown,
      'Say <i lang="la">carpe</i> now\n',
      'Say§ <i lang="la">carpe</i> now§\n',
      ['other_language 1'],
    ],
  ])('%s', async (_name, format, file, expected, kept) => {
    expect(await translate(format, file, marked)).toBe(expected);
    expect((await outcomeOf(format, file)).kept).toEqual(kept);
  });
});
