import { android, plurals, po, type Row, srt, testRows, translated, vtt, xliff } from './relatives.ts';

/** Signs that have a meaning in some format. */
const signs = `@"a" 'b' \\n & &amp; <i> # b: c | d {e} =f *h* \`i\` ~j~ --> ]]>`;
/** Characters that readers take for line ends, for a mark of the file, and that only escapes can have. */
const invisible = 'a\u2028b\u0085c\ufeffd\u0007e';

const rows: readonly Row[] = [
  {
    kind: 'signs of the format in a translation',
    translation: signs,
    cells: [
      ['yaml', 'a: Text\n', `a: ${JSON.stringify(signs)}\n`],
      ['yaml', "a: 'Text'\n", `a: '${signs.replaceAll("'", "''")}'\n`],
      ['yaml', 'a: |\n  Text', `a: |\n  ${signs}`],
      ['po', po('Text', ''), po('Text', signs.replaceAll(/["\\]/g, '\\$&'))],
      ['properties', 'a=Text\n', `a=${signs.replace('\\', '\\\\')}\n`],
      // A blank line or an arrow would end the subtitle, and a line has at most 42 characters.
      ['srt', srt('Text'), srt(`@"a" 'b' \\n & &amp; <i> # b: c | d\n{e} =f *h* \`i\` ~j~ → ]]>`)],
      [
        'vtt',
        vtt('Text'),
        vtt(`@"a" 'b' \\n &amp; &amp;amp; &lt;i&gt; # b: c\n| d {e} =f *h* \`i\` ~j~ --&gt; ]]&gt;`),
      ],
      [
        'android',
        android('Text'),
        android(
          `\\@\\"a\\" \\'b\\' \\\\n &amp; &amp;amp; &lt;i&gt; # b: c | d {e} =f *h* \`i\` ~j~ --&gt; ]]&gt;`,
        ),
      ],
      [
        'android',
        android('"Text"'),
        android(
          `"@\\"a\\" 'b' \\\\n &amp; &amp;amp; &lt;i&gt; # b: c | d {e} =f *h* \`i\` ~j~ --&gt; ]]&gt;"`,
        ),
      ],
      [
        'android',
        android('<![CDATA[Text]]>'),
        android(
          `<![CDATA[\\@\\"a\\" \\'b\\' \\\\n & &amp; <i> # b: c | d {e} =f *h* \`i\` ~j~ --> ]]]]><![CDATA[>]]>`,
        ),
      ],
      ['strings', '"a" = "Text";', `"a" = "${signs.replaceAll(/["\\]/g, '\\$&')}";`],
      [
        'xliff',
        xliff('Text'),
        xliff(
          'Text',
          translated(signs.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
        ),
      ],
      [
        'html',
        '<img alt=Text>',
        `<img alt="@&quot;a&quot; 'b' \\n &amp; &amp;amp; &lt;i> # b: c | d {e} =f *h* \`i\` ~j~ --> ]]>">`,
      ],
      [
        'html',
        "<img alt='Text'>",
        `<img alt='@"a" &#39;b&#39; \\n &amp; &amp;amp; &lt;i> # b: c | d {e} =f *h* \`i\` ~j~ --> ]]>'>`,
      ],
      [
        'md',
        '| Text |\n|-|\n',
        `| @"a" 'b' \\n & \\&amp; &lt;i> # b: c \\| d \\{e} =f \\*h\\* \\\`i\\\` \\~j\\~ --> ]]> |\n|-|\n`,
      ],
      [
        'md',
        '![Text](u)\n',
        `![@"a" 'b' \\n & \\&amp; &lt;i> # b: c | d \\{e} =f \\*h\\* \\\`i\\\` \\~j\\~ --> \\]\\]>](u)\n`,
      ],
      ['md', '---\ntitle: Text\n---\n', `---\ntitle: ${JSON.stringify(signs)}\n---\n`],
      ['md', "+++\ntitle = 'Text'\n+++\n", `+++\ntitle = ${JSON.stringify(signs)}\n+++\n`],
    ],
  },
  {
    kind: 'invisible characters in a translation',
    translation: invisible,
    cells: [
      ['json', '{"a": "Text"}', '{"a": "a\u2028b\u0085c\ufeffd\\u0007e"}'],
      ['yaml', 'a: Text\n', 'a: "a\\Lb\\Nc\\ufeffd\\u0007e"\n'],
      ['yaml', 'a: |-\n  Text\n', 'a: "a\\Lb\\Nc\\ufeffd\\u0007e"\n'],
      ['yaml', "a: 'Text' # c\n", 'a: "a\\Lb\\Nc\\ufeffd\\u0007e" # c\n'],
      ['po', po('Text', ''), po('Text', 'a\u2028b\u0085c\ufeffd\\ae')],
      ['properties', 'a=Text\n', 'a=a\\u2028b\\u0085c\\ufeffd\\u0007e\n'],
      ['android', android('Text'), android('a\u2028b\u0085c\ufeffd\\u0007e')],
      ['strings', '"a" = "Text";', '"a" = "a\u2028b\u0085c\ufeffd\\U0007e";'],
      ['xliff', xliff('Text'), xliff('Text', translated('a\u2028b\u0085c\ufeffde'))],
      ['md', '---\ntitle: Text\n---\n', '---\ntitle: "a\\Lb\\Nc\\ufeffd\\u0007e"\n---\n'],
      ['md', "+++\ntitle = 'Text'\n+++\n", '+++\ntitle = "a\u2028b\u0085c\ufeffd\\u0007e"\n+++\n'],
      ['txt', 'Text\n', 'a b c\ufeffd\u0007e\n'],
    ],
  },
  {
    kind: 'no-break spaces in a translation',
    translation: 'a\u00a0! b\u202f?',
    cells: [
      ['md', '![Text](u "More")\n', '![a\u00a0! b\u202f?](u "a\u00a0! b\u202f?")\n'],
      ['html', '<img alt="Text">', '<img alt="a\u00a0! b\u202f?">'],
      ['srt', srt('Text'), srt('a\u00a0! b\u202f?')],
    ],
  },
  {
    kind: 'line ends in a translation',
    translation: 'one\r\rtwo\nthree',
    cells: [
      ['srt', srt('Text').replaceAll('\n', '\r\n'), srt('one\ntwo\nthree').replaceAll('\n', '\r\n')],
      ['vtt', vtt('Text'), vtt('one\ntwo\nthree')],
    ],
  },
  {
    kind: 'a text that is read as another type',
    translation: 'No',
    cells: [
      ['yaml', 'en:\n  a: Text\n', 'fr:\n  a: "No"\n'],
      ['md', '---\ntitle: Text\n---\n', '---\ntitle: "No"\n---\n'],
      ['json', '{"a": "Text"}', '{"a": "No"}'],
    ],
  },
  {
    kind: 'plural forms that are fewer',
    to: 'ja',
    cells: [
      [
        'json',
        '{"f": {"description": "x", "one": "a", "other": "b", "id": "y"}}',
        '{"f": {"description": "x", "other": "[b]", "id": "y"}}',
      ],
      ['yaml', 'f:\n  other: b\n  one: a\n  few: c\n', 'f:\n  other: "[b]"\n'],
      ['yaml', 'f: {one: a, other: b, few: c, description: x}\n', 'f: {other: "[b]", description: x}\n'],
      [
        'android',
        plurals('<item quantity="one">a</item>', '<item quantity="other">b</item>'),
        plurals('<item quantity="other">[b]</item>'),
      ],
    ],
  },
  {
    kind: 'plural forms that are more',
    to: 'pl',
    cells: [
      [
        'json',
        '{"f": {"description": "x", "one": "a", "other": "b"}}',
        '{"f": {"description": "x", "one": "[a]", "other": "[b]", "few": "[b]", "many": "[b]"}}',
      ],
      [
        'json',
        '{"f": {"description": "x", "one": "a", "other": "b"}}',
        {
          texts: ['one', 'few', 'many', 'other'].map(
            (form) => `${form === 'one' ? 'a' : 'b'} ‹x; plural form “${form}”›`,
          ),
        },
      ],
      [
        'yaml',
        'f:\n  one: a\n  other: b\n  description: x\n',
        'f:\n  one: "[a]"\n  other: "[b]"\n  few: "[b]"\n  many: "[b]"\n  description: x\n',
      ],
      [
        'android',
        plurals('<item quantity="other">b</item>', '<item quantity="one">a</item>'),
        plurals(
          '<item quantity="other">[b]</item>',
          '<item quantity="one">[a]</item>',
          '<item quantity="few">[b]</item>',
          '<item quantity="many">[b]</item>',
        ),
      ],
    ],
  },
  {
    kind: 'plural forms without text',
    to: 'de',
    cells: [
      ['json', '{"f": {"one": "# a", "other": ""}}', '{"f": {"one": "[# a]", "other": "[# a]"}}'],
      ['yaml', 'f:\n  one: a\n  other: " "\n', 'f:\n  one: "[a]"\n  other: "[a]"\n'],
      ['json', '{"f": "{n, plural, one {} other {b}}"}', '{"f": "{n, plural, one {} other {[b]}}"}'],
      [
        'android',
        plurals('<item quantity="one">a</item>', '<item quantity="other"></item>'),
        plurals('<item quantity="one">[a]</item>', '<item quantity="other">[a]</item>'),
      ],
    ],
  },
  {
    kind: 'plural forms between bars',
    to: 'pl',
    cells: [
      [
        'json',
        '{"a": "%{smart_count} car |||| %{smart_count} cars"}',
        {
          texts: ['one', 'few', 'many'].map(
            (form) => `%{smart_count} car${form === 'one' ? '' : 's'} ‹plural form “${form}”›`,
          ),
          file: '{"a": "[%{smart_count} car] |||| [%{smart_count} cars] |||| [%{smart_count} cars]"}',
        },
      ],
      ['yaml', 'a: One day|:count days\n', 'a: "[One day]|[:count days]|[:count days]"\n'],
      ['yaml', 'a: "%count% day|%count% days"', 'a: "[%count% day]|[%count% days]|[%count% days]"'],
      [
        'json',
        '{"a": "{0} none|{1}One day | [2,*] :count days"}',
        {
          texts: [
            'none ‹plural form for {0}›',
            'One day ‹plural form for {1}›',
            ':count days ‹plural form for [2,*]›',
          ],
          file: '{"a": "{0} [none]|{1}[One day] | [2,*] [:count days]"}',
        },
      ],
      ['json', '{"a": "]-Inf, 0] Debts | ]0,Inf[ Wealth"}', '{"a": "]-Inf, 0] [Debts] | ]0,Inf[ [Wealth]"}'],
      [
        'yaml',
        'a: "one: A %what%|more: All %what%"',
        'a: "one: [A %what%]|more: [All %what%]|more: [All %what%]"',
      ],
      [
        'json',
        '{"a": "nobody | one person | {count} people", "b": "car | cars"}',
        '{"a": "[nobody] | [one person] | [{count} people]", "b": "[car] | [cars]"}',
      ],
      [
        'json',
        `{"a": "Home | Acme", "b": "Day {{ n | date }}{'|'}", "c": "See [[Files|files]]", "d": "all || alone", "e": "| a"}`,
        `{"a": "[Home | Acme]", "b": "[Day {{ n | date }}{'|'}]", "c": "[See [[Files|files]]]", "d": "[all || alone]", "e": "[| a]"}`,
      ],
      ['properties', 'a=car | cars', 'a=[car | cars]'],
    ],
  },
  {
    kind: 'a bar in a translation',
    translation: 'x | y {|}',
    cells: [['json', '{"a": "car | cars", "b": "Home"}', '{"a": "x / y {|} | x / y {|}", "b": "x | y {|}"}']],
  },
  {
    kind: 'ICU messages in a page',
    to: 'pl',
    cells: [
      [
        'html',
        '<p>{n, plural, =0 {no items} one {one <b>item</b>} other {{{ n }} items}}</p>',
        '<p>{n, plural, =0 {[no items]} one {[one <b>item</b>]} few {[{{ n }} items]} many {[{{ n }} items]} other {[{{ n }} items]}}</p>',
      ],
      [
        'html',
        '<p>\n  Sent {n, plural,\n    =1 {a day} other {{{n}} days}} ago by {{ name }}</p>',
        `<p>\n  {n, plural, =1 {[Sent a day ago by {{ name }}]} ${['one', 'few', 'many', 'other'].map((form) => `${form} {[Sent {{n}} days ago by {{ name }}]}`).join(' ')}}</p>`,
      ],
      [
        'html',
        '<p>{who, select, male {<i>He</i> wrote} female {She wrote} other {They wrote}}</p><p>{n, plural, other {all}</p>',
        '<p>{who, select, male {[<i>He</i> wrote]} female {[She wrote]} other {[They wrote]}}</p><p>[{n, plural, other {all}]</p>',
      ],
      [
        'html',
        '<p>{ all.length | f, plural , =1 {a day} other {{name, select, me {My} other {{{name}}}}} } {all_length_f, select, other {days}}</p>',
        '<p>{all.length | f, plural, =1 {{all_length_f, select, other {[a day days]}}} one {{name, select, me {{all_length_f, select, other {[My days]}}} other {{all_length_f, select, other {[{{name}} days]}}}}} few {{name, select, me {{all_length_f, select, other {[My days]}}} other {{all_length_f, select, other {[{{name}} days]}}}}} many {{name, select, me {{all_length_f, select, other {[My days]}}} other {{all_length_f, select, other {[{{name}} days]}}}}} other {{name, select, me {{all_length_f, select, other {[My days]}}} other {{all_length_f, select, other {[{{name}} days]}}}}}}</p>',
      ],
      // Directives work only outside of a choice.
      [
        'html',
        '<p><a>Sent</a> {n, plural, =1 {a day} other {{{n}} days}} ago</p>',
        '<p>[<a>Sent</a> {n, plural, =1 {[a day]} one {[{{n}} days]} few {[{{n}} days]} many {[{{n}} days]} other {[{{n}} days]}} ago]</p>',
      ],
    ],
  },
];

testRows(rows);
