import {
  android,
  catalog,
  type Expected,
  french,
  localized,
  po,
  poHeader,
  type Row,
  srt,
  testRows,
  translated,
  vtt,
  xliff,
} from './relatives.ts';

const nul = { rejected: 'line 2: a text has a NUL character' };
const rawNul = { rejected: 'line 2: the text has a NUL character' };
const cut = { rejected: 'line 2: a text has half of a character' };
const noReference = { rejected: 'line 2: the XML is not well-formed: malformed character entity' };
const none: Expected = { texts: [] };

const rows: readonly Row[] = [
  {
    kind: 'characters that cannot be stored',
    cells: [
      ['json', '{\n"a": "x \\u0000 y"}', nul],
      ['json', '{\n"a": "x \\ud83d y"}', cut],
      ['yaml', 'a: b\nc: "x \\0 y"', nul],
      ['yaml', 'a: b\nc: "x \\x00 y"', nul],
      ['yaml', 'a: b\nc: "x \\U0000d83d y"', cut],
      ['po', '\nmsgid "x \\0 y"\nmsgstr ""\n', nul],
      ['po', '\nmsgid "x \\x00 y"\nmsgstr ""\n', nul],
      [
        'po',
        '\nmsgid "x \\377 y"\nmsgstr ""\n',
        { rejected: 'line 2: the escaped bytes \\377 are not UTF-8' },
      ],
      ['properties', 'a=b\nc=x \\u0000 y', nul],
      ['properties', 'a=b\nc=x \\ud83d y', cut],
      ['srt', '1\n00:00:01,000 --> 00:00:02,000\0\nx', rawNul],
      ['vtt', 'WEBVTT\nKind: \0\n\n00:01.000 --> 00:02.000\nx', rawNul],
      ['android', android('x &#0; y'), noReference],
      ['android', android('x \\u0000 y'), nul],
      ['android', android('x \\ud83d y'), cut],
      ['android', android('<xliff:g xmlns:xliff="x">\\ud83d</xliff:g> y'), cut],
      ['strings', '"a" = "b";\n"c" = "x \\U0000 y";', nul],
      ['strings', '"a" = "b";\n"c" = "x \\0 y";', nul],
      ['strings', '"a" = "b";\n"c" = "x \\Ud83d y";', cut],
      ['xcstrings', catalog('\n"x \\u0000 y":{}'), nul],
      ['xcstrings', catalog('\n"x":{"comment":"\\ud83d"}'), cut],
      ['xliff', xliff('x &#xd83d; y'), noReference],
      ['html', '<p>a</p>\n\0', rawNul],
      // HTML and Markdown read these references as a replacement character.
      ['html', '<p>x &#0; y &#xd83d;</p>', { texts: ['x \ufffd y \ufffd'] }],
      ['md', 'Text\nmore \0', rawNul],
      ['md', 'x &#0; y', { texts: ['x \ufffd y'] }],
      ['md', '---\ntitle: "x \\0 y"\n---\n', nul],
      ['txt', 'x\n\0', rawNul],
    ],
  },
  {
    kind: 'a declared language',
    to: 'pt-BR',
    cells: [
      ['json', '{"en-US": {"a": "Hi"}}', '{"pt-BR": {"a": "[Hi]"}}'],
      ['json', '{"en": "Hi", "de": "Ho"}', '{"en": "[Hi]", "de": "[Ho]"}'],
      [
        'json',
        '{"locale": "en_US", "a": {"lang": "en", "b": "en"}}',
        '{"locale": "pt_BR", "a": {"lang": "pt-BR", "b": "[en]"}}',
      ],
      ['yaml', 'en_US:\n  language: en\n', 'pt_BR:\n  language: pt-BR\n'],
      ['yaml', 'en-GB:\n  language: German\n', 'pt-BR:\n  language: "[German]"\n'],
      ['properties', 'app.locale=en_US\n', 'app.locale=pt_BR\n'],
      ['vtt', vtt('Hi', '\nLanguage: en-US'), vtt('[Hi]', '\nLanguage: pt-BR')],
      [
        'android',
        '<resources><string name="language_code">en</string></resources>',
        '<resources><string name="language_code">pt-BR</string></resources>',
      ],
      ['xcstrings', catalog('"Hi":{}'), catalog(`"Hi":{${localized('[Hi]').replace('fr', 'pt-BR')}}`)],
      [
        'xliff',
        xliff('Hi', '', ' target-language="en"'),
        xliff('Hi', translated('[Hi]'), ' target-language="pt-BR"'),
      ],
      [
        'html',
        '<html lang="en"><body lang="en-GB"><p lang="en">Hi</p></body></html>',
        '<html lang="pt-BR"><body lang="pt-BR"><p lang="pt-BR">[Hi]</p></body></html>',
      ],
      [
        'html',
        '<p lang="en" translate="no">Hi</p><p lang="la">Ave</p>',
        '<p lang="en" translate="no">Hi</p><p lang="la">Ave</p>',
      ],
      ['html', '<p>Hi <i lang="en">you</i></p>', '<p>[Hi <i lang="en">you</i>]</p>'],
      [
        'md',
        '---\nlang: en\nlocale: "en_US"\nlanguage: French\n---\n',
        '---\nlang: pt-BR\nlocale: "pt_BR"\nlanguage: French\n---\n',
      ],
      ['mdx', '+++\nlang = "en"\n+++\n', '+++\nlang = "pt-BR"\n+++\n'],
    ],
  },
  {
    kind: 'a declared language with another name',
    from: 'nb',
    cells: [
      ['yaml', 'no:\n  a: Hei\n', 'fr:\n  a: "[Hei]"\n'],
      ['json', '{"no": {"a": "Hei"}}', '{"fr": {"a": "[Hei]"}}'],
    ],
  },
  {
    kind: 'a direction',
    to: 'ar',
    cells: [
      [
        'html',
        '<html><body dir="ltr"><p dir="ltr">Hi</p></body></html>',
        '<html lang="ar" dir="rtl"><body dir="rtl"><p dir="ltr">[Hi]</p></body></html>',
      ],
      ['html', '<div lang="en" dir="ltr">Hi</div>', '<div lang="ar" dir="rtl">[Hi]</div>'],
    ],
  },
  {
    kind: 'a source or a key in the place of a translation',
    cells: [
      [
        'po',
        po('Open file', 'Open file', poHeader(...french)),
        po('Open file', '[Open file]', poHeader(...french)),
      ],
      [
        'po',
        `${po('A b', 'A b', poHeader(...french))}\n${po('C d', '')}`,
        `${po('A b', '[A b]', poHeader(...french))}\n${po('C d', '[C d]')}`,
      ],
      ['po', `${po('Menu', 'Menu', poHeader(...french))}\n${po('A b', 'Un b')}`, none],
      ['xliff', xliff('A b', '<target>A b</target>'), xliff('A b', translated('[A b]'))],
      ['xliff', xliff('A b', translated('A b')), none],
      [
        'xcstrings',
        catalog(`"A b":{${localized('A b').replace('translated', 'new')}}`),
        catalog(`"A b":{${localized('[A b]')}}`),
      ],
      [
        'xcstrings',
        catalog('"home.title":{},"Go":{}'),
        catalog(`"home.title":{},"Go":{${localized('[Go]')}}`),
      ],
      ['strings', '"home.title";\n"Go";', '"home.title";\n"Go" = "[Go]";'],
      [
        'json',
        '{"home.title": "home.title", "a": {"b.c": "b.c", "d": "b.c"}}',
        '{"home.title": "home.title", "a": {"b.c": "b.c", "d": "[b.c]"}}',
      ],
      ['yaml', 'home.title: home.title\nE-mail: E-mail\n', 'home.title: home.title\nE-mail: "[E-mail]"\n'],
      ['properties', 'home.title=home.title\n', none],
      ['android', '<resources><string name="home.title">home.title</string></resources>', none],
    ],
  },
  {
    kind: 'a comment or a description',
    cells: [
      ['json', '{"_comment": "About", "//": ["x"], "$comment": "y", "comment": "Text"}', { texts: ['Text'] }],
      [
        'json',
        '{"a": {"description": "About", "other": "Text"}}',
        '{"a": {"description": "About", "other": "[Text]"}}',
      ],
      ['json', '{"a": {"description": "About", "other": "Text"}}', { texts: ['Text ‹About›'] }],
      ['json', '{"a": {"description": "Visible", "title": "Text"}}', { texts: ['Visible', 'Text'] }],
      ['json', '[{"id": "home", "label": "Home"}, {"id": "Two words"}]', { texts: ['Home', 'Two words'] }],
      [
        'yaml',
        'a:\n  # first\n  b: Text # after\n  # next\n  c: More\n',
        { texts: ['Text ‹first; after›', 'More ‹next›'] },
      ],
      [
        'yaml',
        'a:\n  description: About\n  other: Text\n',
        { texts: ['Text ‹About›'], file: 'a:\n  description: About\n  other: "[Text]"\n' },
      ],
      [
        'android',
        '<resources>\n<!-- one --><string name="a">A b</string> <!-- two -->\n<!-- three -->\n<string name="b">C d</string></resources>',
        { texts: ['A b ‹one two›', 'C d ‹three›'] },
      ],
      [
        'strings',
        '/* one */ "a" = "A b"; /* two */ // three\n/* four */\n"c" = "C d"; /* five */ "e" = "E f"; /* six\nseven */\n"g" = "H i";',
        {
          texts: ['A b ‹one two three›', 'C d ‹four›', 'E f ‹five six seven›', 'H i'],
          file: '/* one */ "a" = "[A b]"; /* two */ // three\n/* four */\n"c" = "[C d]"; /* five */ "e" = "[E f]"; /* six\nseven */\n"g" = "[H i]";',
        },
      ],
      [
        'vtt',
        'WEBVTT\n\nNOTE Text\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:02.000\nHi\n',
        { texts: ['Hi'] },
      ],
      [
        'xliff',
        xliff('Hi', '<note>About</note><alt-trans><source>Hi</source><target>Ho</target></alt-trans>'),
        { texts: ['Hi ‹About›'] },
      ],
    ],
  },
  {
    kind: 'line ends and the end of the file',
    cells: [
      ['yaml', 'a: |\r\n  A b\r\n  c', 'a: |\r\n  [A b\r\n  c]'],
      ['yaml', 'a: >-\n  A b\n', 'a: >-\n  [A b]\n'],
      ['yaml', '# C\ra: A b\rc: |\r  C d\r  e\r', '# C\ra: "[A b]"\rc: |\r  [C d\r  e]\r'],
      ['po', 'msgid "a\\n"\r"b"\rmsgstr ""\r', 'msgid "a\\n"\r"b"\rmsgstr ""\r"[a\\n"\r"b]"\r'],
      ['srt', srt('- A\n- B').replaceAll('\n', '\r'), srt('[- A\n- B]').replaceAll('\n', '\r')],
      ['vtt', vtt('- A\n- B').replaceAll('\n', '\r'), vtt('[- A\n- B]').replaceAll('\n', '\r')],
      ['md', '---\rtitle: A b\r---\r\rC d', '---\rtitle: "[A b]"\r---\r\r\\[C d]'],
      ['json', '\ufeff{"a": "A b"}', '\ufeff{"a": "[A b]"}'],
      [
        'xliff',
        xliff('A b').replaceAll('\n', '\r\n'),
        xliff('A b', translated('[A b]')).replaceAll('\n', '\r\n'),
      ],
    ],
  },
  {
    kind: 'references to characters',
    cells: [
      ['vtt', vtt('Don&#39;t &eacute;'), { texts: ["Don't é"], file: vtt("[Don't é]") }],
      ['html', '<p>Don&#39;t &eacute;</p>', { texts: ["Don't é"] }],
      ['md', 'Don&#39;t &eacute;', { texts: ["Don't é"] }],
      ['android', android('&#233;t\\u00e9'), { texts: ['été'] }],
      ['xliff', xliff('Don&#39;t &#233;'), { texts: ["Don't é"] }],
      ['po', po('Caf\\303\\251', ''), { texts: ['Café'] }],
    ],
  },
  {
    kind: 'white space at edges, and texts without anything else',
    cells: [
      ['json', '{"a": "  A b\\n", "c": "", "d": " "}', '{"a": "  [A b]\\n", "c": "", "d": " "}'],
      ['yaml', 'a: "  A b\\n"\nc: ""\nd: " "\ne:\n', 'a: "  [A b]\\n"\nc: ""\nd: " "\ne:\n'],
      ['po', `${po('  A b\\n', '')}\n${po('  ', '')}`, `${po('  A b\\n', '  [A b]\\n')}\n${po('  ', '')}`],
      ['properties', 'a=\\  A b\\n\nc=\nd=\\ \n', 'a=\\ \\ [A b]\\n\nc=\nd=\\ \n'],
      [
        'srt',
        `${srt('A b')}\n2\n00:01:01,000 --> 00:01:02,000\n \n`,
        `${srt('[A b]')}\n2\n00:01:01,000 --> 00:01:02,000\n \n`,
      ],
      ['vtt', vtt('&nbsp;'), none],
      [
        'android',
        android('"  A b\\n"</string><string name="b">" "'),
        android('"  [A b]\\n"</string><string name="b">" "'),
      ],
      ['strings', '"a" = "  A b\\n"; "c" = ""; "d" = " ";', '"a" = "  [A b]\\n"; "c" = ""; "d" = " ";'],
      [
        'xcstrings',
        catalog('"":{}', '" ":{}', '" A b\\n":{}'),
        catalog('"":{}', '" ":{}', `" A b\\n":{${localized(' [A b]\\n')}}`),
      ],
      ['xliff', xliff(' A b\n '), xliff(' A b\n ', translated(' [A b]\n '))],
      [
        'html',
        '<p> A b&nbsp;</p><p>&nbsp;</p><img alt=" ">',
        '<p> [A b]&nbsp;</p><p>&nbsp;</p><img alt=" ">',
      ],
      ['md', '  A b  \n\n&nbsp;\n\n![ ](u)\n', '  \\[A b]  \n\n&nbsp;\n\n![ ](u)\n'],
      ['txt', '  A b  \n \n', '  [A b]  \n \n'],
    ],
  },
];

testRows(rows);
