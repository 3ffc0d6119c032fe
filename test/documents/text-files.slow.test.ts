import { expect, test } from 'vitest';
import { allExtensions, layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

/** Texts with "doubtful" have a score below the threshold. */
const engine = recordingEngine({
  assessEach: async ({ segments }) =>
    answered(
      segments.map((text) => ({ score: text.includes('doubtful') ? 40 : 92, issues: [], summary: '' })),
    ),
});
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const fileOf = (name: string, content: string, type = '') => new File([content], name, { type });
const translate = async (name: string, content: string, fields = {}) => {
  const { status, body } = await mine.send({
    source_document: fileOf(name, content),
    wait: 'true',
    ...fields,
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const downloaded = async (id: string) => (await mine.download(id)).text();
const pluralJson = '{"file_one": "{{count}} file", "file_other": "{{count}} files"}';

test('the translated file of a JSON file has its format, and only its texts have changed', async () => {
  const { id, source_format, request } = await translate(
    'app.json',
    '{"menu": {"open": "Open file"}, "n": 1}\n',
  );
  expect([source_format, request.target_lang]).toEqual(['json', 'fr']);
  const response = await mine.download(id);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('content-disposition')).toContain('attachment');
  expect(response.headers.get('x-suggested-filename')).toBe('app.fr.json');
  expect(await response.text()).toBe('{"menu": {"open": "fr of Open file"}, "n": 1}\n');
  const [segment] = (await mine.segments(id)).segments;
  expect(segment).toMatchObject({
    place: 'line 1, menu.open',
    context: null,
    page: null,
    kind: 'text_block',
  });
  const { boxes } = (await mine.query('boxes', { document_id: id })).body;
  expect(boxes).toMatchObject([{ anchor: { type: 'line', place: 'line 1, menu.open' } }]);
});

test('a file named .mdx is MDX, and a translation adds no code to it, whoever made it', async () => {
  engine.reply = ({ segments }) =>
    segments.map((text) =>
      text === 'Hello' ? 'Bonjour {(globalThis.x=1,"")}' : 'Bienvenue {% include x %}',
    );
  const { id, source_format } = await translate('page.mdx', 'Hello\n\nWelcome\n');
  expect(source_format).toBe('mdx');
  expect(await mine.targets(id)).toContain('Bienvenue {% include x %}');
  const response = await mine.download(id);
  expect(response.headers.get('content-type')).toContain('text/mdx');
  expect(await response.text()).toBe('Bonjour \\{(globalThis.x=1,"")}\n\nWelcome\n');
});

test('the model gets the key and the comment of a text, and the plural form that it must have', async () => {
  await translate(
    'app.po',
    '#. Button\nmsgid "Open"\nmsgstr ""\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\n',
    {
      target_lang: 'pl',
    },
  );
  expect(engine.asked.map(({ segments, notes }) => [segments, notes])).toEqual([
    [
      ['Open', '<1/> file', '<1/> files', '<1/> files'],
      [
        'Button',
        'tags: <1/> %d; plural form “one”, for numbers such as 1',
        'tags: <1/> %d; plural form “few”, for numbers such as 2, 3, 4, 22, 23',
        'tags: <1/> %d; plural form “many”, for numbers such as 0, 5, 6, 7, 8',
      ],
    ],
  ]);
  engine.reset();
  await translate('app.json', '{"menu": {"open": "Open it"}}');
  expect(engine.asked[0]!.notes).toEqual(['key menu.open']);
});

test.each([
  ['guide.md', '`npm i` installs **it**, with `npx`\n', '<1/> installs <2>it</2>, with <3/>'],
  ['page.html', '<p><code>npm i</code> installs it</p>', '<1/> installs it'],
  [
    'strings.xml',
    '<resources xmlns:x="urn:oasis:names:tc:xliff:document:1.2"><string name="a"><x:g>%1$s</x:g> has left</string></resources>',
    '<1/> has left',
  ],
])(
  '%s: the model gets a tag for code or a placeholder at the start of a sentence',
  async (name, content, expected) => {
    const { id } = await translate(name, content);
    expect(engine.asked.map(({ segments }) => segments)).toEqual([[expected]]);
    const written = await downloaded(id);
    expect(written).toContain('fr of ');
    expect(written.match(/npm i|%1\$s/g)).toHaveLength(1);
  },
);

test('plural forms are neither served from the translation memory nor added to it', async () => {
  const first = await translate('app.json', pluralJson, { target_lang: 'ru' });
  const { body } = await mine.approve(first.id, { reviewer: 'Rev' });
  expect(body.approval_result).toMatchObject({ approved: true, fed_pairs: 0 });
  engine.reset();
  const again = await translate('again.json', `${pluralJson.slice(0, -1)}, "plain": "{{count}} files"}`, {
    target_lang: 'ru',
  });
  // The model gets each form again.
  expect(engine.texts()).toEqual(['<1/> file', '<1/> files', '<1/> files', '<1/> files', '<1/> files']);
  expect((await mine.approve(again.id)).body.approval_result.fed_pairs).toBe(1);
  engine.reset();
  const { id } = await translate('third.json', '{"plain": "{{count}} files"}', { target_lang: 'ru' });
  expect([engine.texts(), (await mine.segments(id)).segments[0].fast_path]).toEqual([[], 'tm_exact']);
});

test('an estimate does not count a stored translation for a plural form', async () => {
  const { id } = await translate('plain.json', '{"plain": "{{count}} files"}', { target_lang: 'ru' });
  await mine.approve(id);
  const { body } = await mine.send({
    source_document: fileOf('a.json', pluralJson),
    target_lang: 'ru',
    dry_run: 'true',
  });
  expect([body.segments, body.exact_matches.segments]).toEqual([4, 0]);
});

test('a PO file marks what needs a review, until a reviewer confirms it', async () => {
  const source = 'msgid "A doubtful one"\nmsgstr ""\n\nmsgid "Hello"\nmsgstr ""\n';
  const { id } = await translate('app.po', source);
  const marked =
    'msgid "A doubtful one"\nmsgstr "fr of A doubtful one"\n\nmsgid "Hello"\nmsgstr "fr of Hello"\n';
  expect(await downloaded(id)).toBe(`#, fuzzy\n${marked}`);
  const confirm = (confirmed: boolean) =>
    mine.mutate(
      'confirm',
      { document_id: id, segments: [{ position: 0, target_text: 'fr of A doubtful one' }], confirmed },
      mine.admin,
    );
  expect((await confirm(true)).status).toBe(200);
  expect(await downloaded(id)).toBe(marked);
  expect((await confirm(false)).status).toBe(200);
  expect(await downloaded(id)).toBe(`#, fuzzy\n${marked}`);
  // A confirmation does not count as a correction.
  expect((await mine.read(id)).review_history).toEqual([]);
});

test.each([
  [
    'app.xliff',
    `<xliff version="1.2"><file source-language="en" target-language="fr"><body>
<trans-unit id="a"><source>A doubtful one</source></trans-unit></body></file></xliff>`,
    '<target state="needs-review-translation">fr of A doubtful one</target>',
    '<target state="translated">fr of A doubtful one</target>',
  ],
  [
    'app.xlf',
    `<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f"><unit id="a">
<segment><source>A doubtful one</source></segment></unit></file></xliff>`,
    '<segment state="translated" subState="lingualoop:needs_review">',
    '<segment state="translated">',
  ],
  [
    'app.xcstrings',
    '{"sourceLanguage":"en","strings":{"A doubtful one":{}},"version":"1.0"}',
    '"state":"needs_review","value":"fr of A doubtful one"',
    '"state":"translated","value":"fr of A doubtful one"',
  ],
])('%s marks what needs a review, until a reviewer confirms it', async (name, source, marked, confirmed) => {
  const { id } = await translate(name, source);
  const first = await downloaded(id);
  expect(first).toContain(marked);
  const segments = [{ position: 0, target_text: 'fr of A doubtful one' }];
  const { status } = await mine.mutate('confirm', { document_id: id, segments, confirmed: true }, mine.admin);
  expect(status).toBe(200);
  expect(await downloaded(id)).toBe(first.replace(marked, confirmed));
});

test('a confirmation does not render a file again whose format has no marks', async () => {
  const { id } = await translate('app.json', '{"a": "A doubtful one"}');
  await mine.mutate(
    'confirm',
    { document_id: id, segments: [{ position: 0, target_text: 'fr of A doubtful one' }] },
    mine.admin,
  );
  expect(await mine.row(id)).toMatchObject({ decisions: 0, rendered_decisions: 0 });
});

test.each(layoutKindNames)(
  '%s: a file that is no text, or of another kind, gets 400 before a job exists, or fails at once',
  async (kind) => {
    const { extensions, mediaType, readLater } = layoutKinds[kind];
    for (const content of ['\0\0\0', '\u{fffd}{"<[: no such file\n\t- :'] as const) {
      const { status, body } = await mine.send({
        source_document: new File([content], `bad.${extensions[0]}`, { type: mediaType }),
        ...(readLater && { wait: 'true' }),
      });
      // The second text is a valid Markdown file, and may be valid in other formats.
      if (status === 202 && content !== '\0\0\0') continue;
      expect([status, body.error_code]).toEqual([400, 'validation_error']);
      expect(body.detail).toMatch(/^source_document: /);
    }
  },
);

test.each([
  [Buffer.from('bplist00\xd1\x01', 'latin1'), 'plutil -convert xml1'],
  ['<plist><dict><key>CFBundleName</key>\n<string>App</string></dict></plist>', 'line 1: the property list'],
  ['<!DOCTYPE a [<!ENTITY a "b"><!ENTITY b "&a;&a;">]><plist/>', 'an entity declaration'],
])('a .stringsdict of another kind gets 400 with the reason, also as a dry run', async (content, reason) => {
  for (const dry_run of ['false', 'true']) {
    const source_document = new File([content], 'a.stringsdict');
    const { status, body } = await mine.send({ source_document, dry_run });
    expect([status, body.error_code, body.detail]).toEqual([
      400,
      'validation_error',
      expect.stringContaining(reason),
    ]);
  }
});

test('a .stringsdict keeps its edited plural forms, and the model gets the forms of the language', async () => {
  const plist = (forms: string) =>
    `<plist><dict><key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@files@</string><key>files</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>${forms}</dict></dict></dict></plist>`;
  const form = (category: string, text: string) => `<key>${category}</key><string>${text}</string>`;
  // Exports of some platforms lack `other`.
  const existing = plist(form('few', '%d pliki') + form('many', '%d plików'));
  const { id, source_format } = await translate(
    'a.stringsdict',
    plist(form('one', '%d file') + form('other', '%d files')),
    { target_lang: 'pl', existing_target: fileOf('pl.stringsdict', existing) },
  );
  expect([source_format, engine.texts()]).toEqual(['stringsdict', ['<1/> file', '<1/> files']]);
  expect(await downloaded(id)).toBe(
    plist(
      form('one', 'pl of %d file') +
        form('few', '%d pliki') +
        form('many', '%d plików') +
        form('other', 'pl of %d files'),
    ),
  );
});

test('a file of an unknown kind gets 415 with all extensions', async () => {
  const { status, body } = await mine.send({ source_document: fileOf('a.exe', 'x') });
  expect(status).toBe(415);
  for (const extension of allExtensions) expect(body.detail).toContain(`.${extension}`);
});

test('POST /api/translations still makes texts of the formats that have no pages', async () => {
  const form = new FormData();
  form.set('source_document', fileOf('app.json', '{"a": "Hello"}'));
  form.set('target_lang', 'fr');
  const response = await app.request('/api/translations', {
    method: 'POST',
    headers: mine.headers,
    body: form,
  });
  const [job] = (await response.json()) as [{ request: { source_text: string } }];
  expect([response.status, job.request.source_text]).toEqual([200, '{"a": "Hello"}']);
  const subtitles = new FormData();
  subtitles.set('source_document', fileOf('a.srt', '1\n00:00:01,000 --> 00:00:02,000\nHello\n'));
  subtitles.set('target_lang', 'fr');
  const refused = await app.request('/api/translations', {
    method: 'POST',
    headers: mine.headers,
    body: subtitles,
  });
  expect(refused.status).toBe(415);
});

const strings = (texts: Record<string, string>) => fileOf('app.json', JSON.stringify(texts));

test('a new version of a file keeps the translations and reviews of the previous version, and only the rest is billed', async () => {
  const { id } = await translate(
    'app.json',
    '{"a": "A doubtful one", "b": "Hello", "c": "Gone", "p_one": "%d day", "p_other": "%d days"}',
  );
  const corrections = [{ region_id: 't2', target_text: 'Bonjour' }];
  expect((await mine.reviewDocument(id, { corrections })).status).toBe(200);
  await mine.mutate(
    'confirm',
    { document_id: id, segments: [{ position: 0, target_text: 'fr of A doubtful one' }] },
    mine.admin,
  );
  engine.reset();
  const next = strings({
    b: 'Hello',
    new: 'New text',
    a: 'A doubtful one',
    p_one: '%d day',
    p_other: '%d days',
  });
  const estimate = await mine.send({ source_document: next, update_of: id, dry_run: 'true' });
  expect(estimate.body).toMatchObject({
    segments: 1,
    kept: { segments: 5, characters: 5 + 14 + 6 + 2 * 7 },
    billable_characters: 8,
  });
  const { status, body } = await mine.send({ source_document: next, update_of: id, wait: 'true' });
  expect([status, body.request.update_of, body.billable_chars]).toEqual([200, id, 8]);
  expect(engine.texts()).toEqual(['New text']);
  expect(JSON.parse(await downloaded(body.id))).toMatchObject({
    b: 'Bonjour',
    new: 'fr of New text',
    a: 'fr of A doubtful one',
  });
  const { segments } = await mine.segments(body.id);
  expect(segments[2]).toMatchObject({
    source_text: 'A doubtful one',
    confirmed_by: expect.any(String),
    quality: { needs_review: true },
  });
  expect(segments[0].provenance).toMatchObject({ kept_from: id });
  const records = await mine.records();
  expect(records.find(({ job_id }) => job_id === body.id)).toMatchObject({ billable_chars: 8 });
});

test('a new version without a new text is translated without a model, and bills nothing', async () => {
  const { id } = await translate('app.json', '{"a": "Hello", "b": "World"}');
  engine.reset();
  const { body } = await mine.send({
    source_document: strings({ b: 'World', a: 'Hello' }),
    update_of: id,
    wait: 'true',
  });
  expect([body.status, body.billable_chars, engine.texts()]).toEqual(['translated', 0, []]);
  expect(await downloaded(body.id)).toBe('{"b":"fr of World","a":"fr of Hello"}');
});

test('a document of other languages, of another workspace, or one that does not exist cannot be updated', async () => {
  const { id } = await translate('app.json', '{"a": "Hello"}');
  const send = (update_of: string, fields = {}) =>
    mine.send({ source_document: strings({ a: 'Hello' }), update_of, ...fields });
  const { id: foreign } = await (await openDocuments(app)).translate(['Hello']);
  for (const [one, fields, problem] of [
    [
      id,
      { target_lang: 'de' },
      'update_of: the document was translated from en to fr, and this request is from en to de',
    ],
    [foreign, {}, 'update_of: document not found'],
    [id, { tone: 'formal' }, 'update_of: the document was translated with another tone'],
    ['nothing', {}, 'update_of: document not found'],
    [await mine.queue(), {}, 'update_of: the document is not translated (status=queued)'],
  ] as const) {
    expect(await send(one, fields)).toMatchObject({ status: 400, body: { detail: problem } });
    expect(await send(one, { ...fields, dry_run: 'true' })).toMatchObject({
      status: 400,
      body: { detail: problem },
    });
  }
});
