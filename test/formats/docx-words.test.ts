import { describe, expect, it, test } from 'vitest';
import { wordsOfField } from '#server/formats/docx/field-words.ts';
import { extract, rebuild } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import type { Includable } from '#server/formats/selection.ts';
import { field, mark, paragraph, run, wordFile } from './docx-file.ts';
import { partsOf } from './docx-walk.ts';

/* Words of Word files that are in no run: in codes of fields, and in properties of form fields and content controls. */

const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const formField = (type: string, data: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r>${code(type)}${mark('end')}`;

async function translated(body: string, include: Includable[] = []) {
  const bytes = wordFile(body);
  const { segments, outcome } = await extract(bytes, { include });
  expect(outcome?.unaccounted).toBe(0);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: [`"${plainText(source)}": là`],
  }));
  const languages = { sourceLanguage: 'en', targetLanguage: 'fr', include };
  const written = await rebuild(bytes, translations, languages);
  return {
    texts: segments.map(({ source }) => plainText(source)),
    kept: outcome!.kept.map(
      ({ class: kind, reason, texts, characters }) => `${kind} ${reason} ${texts} ${characters}`,
    ),
    xml: partsOf(written.bytes)['word/document.xml']!,
  };
}

describe('the words of a code', () => {
  it.each([
    [' MACROBUTTON NoMacro [Click "here"] ', ['[Click "here"]'], ' MACROBUTTON NoMacro «[Click "here"]» '],
    [
      ' FILLIN  "Your name?" \\d "Anna" \\o ',
      ['Your name?', 'Anna'],
      ' FILLIN  "«Your name?»" \\d "«Anna»" \\o ',
    ],
    [
      ' ASK Client "Who is it?" \\* MERGEFORMAT',
      ['Who is it?'],
      ' ASK Client "«Who is it?»" \\* MERGEFORMAT',
    ],
    [' IF \ufffc = "a b" "Yes, sir" No ', ['Yes, sir', 'No'], ' IF \ufffc = "a b" "«Yes, sir»" «No» '],
    [' IF 1=1 "Yes" "" ', ['Yes'], ' IF 1=1 "«Yes»" "" '],
    [' IF Name= "x" "Yes"', ['Yes'], ' IF Name= "x" "«Yes»"'],
    [' IF a <> b "\ufffc days" "one"', ['\ufffc days', 'one'], ' IF a <> b "\ufffc days" "«one»"'],
    [
      ' XE "Doors:oak\\:light" \\t "See Walls" \\f "k"',
      ['Doors', 'oak:light', 'See Walls'],
      ' XE "«Doors»:«oak\\:light»" \\t "«See Walls»" \\f "k"',
    ],
    [' TC "Oak doors" \\f C \\l "1"', ['Oak doors'], ' TC "«Oak doors»" \\f C \\l "1"'],
    [
      ' MERGEFIELD Name \\b "Dear " \\f ", hello" \\m',
      ['Dear ', ', hello'],
      ' MERGEFIELD Name \\b "«Dear »" \\f "«, hello»" \\m',
    ],
    [
      ' HYPERLINK "a.html" \\l "top" \\o "The \\"shop\\""',
      ['The "shop"'],
      ' HYPERLINK "a.html" \\l "top" \\o "«The \\"shop\\"»"',
    ],
    [' SET Text "Good day"', ['Good day'], ' SET Text "Good day"'],
    [' TOC \\o "1-3" \\t "Title,1"', [], ''],
    [' DATE \\@ "d MMMM" ', [], ''],
    [' PAGEREF _Toc1 \\h ', [], ''],
  ])('%s', (source, texts, written) => {
    const words = wordsOfField(source);
    expect(words.map(({ text }) => text)).toEqual(texts);
    const result = words.reduceRight(
      (all, { start, end, text, write }) =>
        all.slice(0, start) + (write?.(`«${text}»`) ?? all.slice(start, end)) + all.slice(end),
      source,
    );
    if (texts.length > 0) expect(result).toBe(written);
  });
});

test('words of a code over several runs are one text, and each other character stays', async () => {
  const body = paragraph(
    mark('begin'),
    code(' MACROBUTTON  No'),
    code('Macro [Click'),
    code(' here] '),
    mark('end'),
  );
  const { texts, xml } = await translated(body);
  expect(texts).toEqual(['[Click here]']);
  expect(xml).toContain(
    paragraph(
      mark('begin'),
      code(' MACROBUTTON  No'),
      code('Macro "[Click here]": là'),
      code(' '),
      mark('end'),
    ),
  );
});

test('words are written in a paragraph whose text is translated, too', async () => {
  const { texts, xml } = await translated(paragraph(run('See '), field(' XE "Doors:oak" '), run('them')));
  expect(texts).toEqual(['Doors', 'oak', 'See them']);
  expect(xml).toContain('XE "\\"Doors\\"\\: là:\\"oak\\"\\: là"');
  expect(xml).toContain('"See them": là');
});

test('a text with a field inside is counted', async () => {
  const inner = field(' MERGEFIELD Days ', run('3'));
  const body = paragraph(
    mark('begin'),
    code(' IF 1 = 1 "'),
    inner,
    code(' days" "one" '),
    mark('separate'),
    run('x'),
    mark('end'),
  );
  const { texts, kept } = await translated(body);
  expect(texts).toEqual(['one', 'x']);
  expect(kept).toEqual(['kept fields 2 5']);
});

test('the tip of a link that is an address stays, counted', async () => {
  const body = paragraph(field(' HYPERLINK "http://a.example" \\o "http://a.example" ', run('See it')));
  const { texts, kept } = await translated(body);
  expect({ texts, kept }).toEqual({ texts: ['See it'], kept: ['kept address 1 16'] });
});

test('helps, entries and defaults of form fields', async () => {
  const body = paragraph(
    run('Color: '),
    formField(
      ' FORMDROPDOWN ',
      '<w:name w:val="Drop1"/><w:helpText w:type="text" w:val="Choose &amp; go"/><w:statusText w:type="autoText" w:val="Stored"/><w:ddList><w:default w:val="1"/><w:listEntry w:val="Red door"/><w:listEntry w:val="12"/></w:ddList>',
    ),
    formField(' FORMTEXT ', '<w:textInput><w:default w:val="Your name"/></w:textInput>'),
  );
  const { texts, xml } = await translated(body);
  expect(texts).toEqual(['Choose & go', 'Red door', 'Your name', 'Color: ']);
  expect(xml).toContain('<w:helpText w:type="text" w:val="&quot;Choose &amp; go&quot;: là"/>');
  for (const stays of ['w:name w:val="Drop1"', 'w:val="Stored"', '<w:default w:val="1"/>', 'w:val="12"'])
    expect(xml).toContain(stays);
});

describe('content controls', () => {
  const list =
    '<w:sdt><w:sdtPr><w:alias w:val="Color of it"/><w:dropDownList><w:listItem w:displayText="Red door" w:value="r"/></w:dropDownList></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Red door</w:t></w:r></w:p></w:sdtContent></w:sdt>';

  it('counts the entries and the name of a list', async () => {
    const { texts, kept, xml } = await translated(paragraph(run('Color')) + list);
    expect(texts).toEqual(['Color']);
    expect(kept).toEqual(['not_selected content_controls 3 23']);
    expect(xml).toContain(list);
  });

  it('counts them if content controls are included', async () => {
    const { kept } = await translated(paragraph(run('Color')) + list, ['content_controls']);
    expect(kept.toSorted()).toEqual([
      'kept content_controls 1 7',
      'kept dropdown_lists 1 7',
      'kept form_fields 1 9',
    ]);
  });

  const contents = (gallery: string) =>
    `<w:sdt><w:sdtPr><w:id w:val="1"/><w:docPartObj><w:docPartGallery w:val="${gallery}"/><w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>${paragraph(run('Contents'))}${paragraph(field(' TOC \\o ', run('Oak doors')))}</w:sdtContent></w:sdt>`;

  it('translates a table of contents that Word builds', async () => {
    const { texts, kept } = await translated(contents('Table of Contents') + paragraph(run('Oak doors')));
    expect({ texts, kept }).toEqual({ texts: ['Contents', 'Oak doors', 'Oak doors'], kept: [] });
  });

  it('leaves other building blocks out', async () => {
    expect((await translated(contents('Cover Pages'))).texts).toEqual([]);
  });
});
