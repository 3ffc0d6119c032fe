import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { procedure, router, type Upload, type UploadedFile, uploadedFile } from '#server/trpc.ts';
import { refusalOf } from '#test/setup/app.ts';
import { useBothTransports } from './both-transports.ts';

const echo = z.record(z.string(), z.unknown());
const input = z.object({
  sheet: uploadedFile.optional(),
  old_sheet: uploadedFile.optional(),
  name: z.string().optional(),
  note: z.string().default('none'),
});

/** Defines a route that accepts two files and returns what it received. */
const taking = (path: `/${string}`, more: Partial<Upload> = {}) =>
  procedure
    .meta({
      route: {
        method: 'POST',
        path,
        tag: 'T',
        summary: 'S',
        upload: {
          parts: ['sheet', 'old_sheet'],
          raw: false,
          ceiling: ({ name }) => (name === 'small.txt' ? 'MAX_REQUEST_BYTES' : 'MAX_UPLOAD_BYTES'),
          ...more,
        },
      },
    })
    .input(input)
    .output(echo)
    .mutation(({ input: { sheet, old_sheet, ...fields } }) => ({
      ...fields,
      ...(sheet && { sheet: told(sheet) }),
      ...(old_sheet && { old_sheet: told(old_sheet) }),
    }));
const told = ({ bytes, ...file }: UploadedFile) => ({
  ...file,
  bytes: Buffer.from(bytes).toString('latin1'),
});

const served = router({
  form: taking('/form'),
  file: taking('/file', { raw: true }),
  large: procedure
    .meta({
      route: {
        method: 'POST',
        path: '/large',
        tag: 'T',
        summary: 'S',
        accepted: z.object({ job: z.string() }),
      },
    })
    .input(z.object({ large: z.boolean() }))
    .output(echo)
    .mutation(({ ctx, input: { large } }) => {
      if (large) ctx.response.setStatus(202);
      return { large };
    }),
});

const send = useBothTransports(served);
const small = useBothTransports(served, { MAX_REQUEST_BYTES: '2000', MAX_UPLOAD_BYTES: '5000' });

const edge = 'edge';
const formType = `multipart/form-data; boundary=${edge}`;
const part = (head: string, body: string, more = '') =>
  `--${edge}\r\nContent-Disposition: form-data; ${head}\r\n${more}\r\n${body}\r\n`;
const filePart = (field: string, name: string, body: string, type = 'text/csv') =>
  part(`name="${field}"; filename="${name}"`, body, `Content-Type: ${type}\r\n`);
const field = (name: string, body: string) => part(`name="${name}"`, body);
const whole = (...parts: string[]) => `${parts.join('')}--${edge}--\r\n`;
const sheet = (body: string, name = 'a.csv', contentType = 'text/csv') => ({
  name,
  contentType,
  bytes: body,
  via: 'form',
});

const post = (body: string, type = formType, path = '/form', via = send) =>
  via(path, {
    method: 'POST',
    headers: type === '' ? {} : { 'content-type': type },
    body: Buffer.from(body, 'latin1'),
  });

describe('a form’s file parts', () => {
  test('fill the inputs of their names, beside its fields', async () => {
    const form = whole(
      field('name', 'Words'),
      filePart('old_sheet', 'b.csv', 'second'),
      filePart('sheet', 'a.csv', 'fi\0rst\xff'),
    );
    expect(await post(form)).toEqual({
      status: 200,
      body: {
        sheet: sheet('fi\0rst\xff'),
        old_sheet: sheet('second', 'b.csv'),
        name: 'Words',
        note: 'none',
      },
    });
  });

  test.each(['first', '', 'f'.repeat(200_000)])('of two of one name the first counts', async (first) => {
    const form = whole(
      filePart('sheet', 'a.csv', first),
      filePart('sheet', 'b.csv', 'second'),
      filePart('old_sheet', 'c.csv', 'third'),
    );
    const { body } = await post(form);
    expect([body.sheet, body.old_sheet]).toEqual([sheet(first), sheet('third', 'c.csv')]);
  });

  test('a text field of that name is not a file, before one or after it', async () => {
    expect((await post(whole(field('sheet', 'word,mot')))).body).toEqual({ note: 'none' });
    const parts = [field('sheet', 'a text'), filePart('sheet', 'a.csv', 'a file')];
    for (const form of [whole(...parts), whole(...parts.toReversed())])
      expect((await post(form)).body).toEqual({ sheet: sheet('a file'), note: 'none' });
  });

  test('the last of two fields of one name counts', async () => {
    expect((await post(whole(field('name', 'a'), field('name', 'b')))).body.name).toBe('b');
  });

  test('other parts are ignored', async () => {
    const others = [filePart('elsewhere', 'x.csv', 'x'), field('__proto__', 'x'), field('other', 'x')];
    const form = whole(...others, filePart('__proto__', 'x.csv', 'x'), filePart('sheet', 'a.csv', 'x'));
    expect((await post(form)).body).toEqual({ sheet: sheet('x'), note: 'none' });
  });

  test('a part without a file name is a file if its content type is application/octet-stream', async () => {
    const type = 'application/octet-stream';
    const form = whole(part('name="sheet"', 'x', `Content-Type: ${type}\r\n`));
    expect((await post(form)).body.sheet).toEqual(sheet('x', '', type));
  });
});

describe('a form that cannot be read: 400', () => {
  const files = (count: number, name = 'x') => Array.from({ length: count }, () => filePart(name, 'x', 'x'));
  const fields = (count: number) => Array.from({ length: count }, () => field('x', 'x'));

  test.each([
    ['it has no boundary', whole(field('name', 'x')), 'multipart/form-data'],
    ['it breaks off in a file', filePart('sheet', 'a.csv', 'x').slice(0, -1), formType],
    ['it has six files, whatever their names', whole(...files(6)), formType],
    ['a field is too long', whole(field('x', 'x'.repeat(100_001))), formType],
  ])('%s', async (_what, body, type) => {
    const answer = await post(body, type);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringMatching(/^invalid multipart body: /),
    ]);
  });

  test('five files and fifty fields are read', async () => {
    expect((await post(whole(...files(5, 'sheet'), ...fields(50)))).status).toBe(200);
  });
});

describe('a route that takes only a form', () => {
  const types = ['application/json', 'application/x-www-form-urlencoded', ''];

  test.each(types)('a body of content type "%s" is as a form without any field', async (type) => {
    for (const body of ['{"name":"x"}', ''])
      expect(await post(body, type)).toEqual({ status: 200, body: { note: 'none' } });
  });

  test('a body whose content type cannot be read is 415', async () => {
    expect(await post('{}', 'nonsense')).toEqual({
      status: 415,
      body: refusalOf('unsupported content type: the header Content-Type cannot be read'),
    });
  });

  test('a route that takes the file itself does so', async () => {
    const answer = await post('word,mot', 'text/csv', '/file?name=Words&filename=a.csv&sheet=x');
    expect(answer.body).toEqual({ sheet: { ...sheet('word,mot'), via: 'raw' }, name: 'Words', note: 'none' });
    expect((await post('{}', 'application/json', '/file')).status).toBe(415);
  });
});

describe('sizes', () => {
  const over = (name: string, limit: number, actual?: number) => ({
    status: 413,
    body: refusalOf(`request body exceeds ${name}`, { limit, ...(actual && { actual }), unit: 'bytes' }),
  });
  const sized = (size: number, name = 'a.csv') => {
    const empty = whole(filePart('sheet', name, ''));
    return whole(filePart('sheet', name, 'x'.repeat(size - empty.length)));
  };
  const stream = (body: string) =>
    small('/form', {
      method: 'POST',
      headers: { 'content-type': formType },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);

  test('a form is limited by MAX_UPLOAD_BYTES, as declared', async () => {
    expect((await post(sized(5000), formType, '/form', small)).status).toBe(200);
    expect(await post(sized(5001), formType, '/form', small)).toEqual(over('MAX_UPLOAD_BYTES', 5000, 5001));
  });

  test('and as it streams', async () => {
    expect((await stream(sized(5000))).status).toBe(200);
    expect(await stream(sized(5001))).toEqual(over('MAX_UPLOAD_BYTES', 5000));
  });

  test('a file of the smaller kind is limited by MAX_REQUEST_BYTES, as declared', async () => {
    expect((await post(sized(2000, 'small.txt'), formType, '/form', small)).status).toBe(200);
    expect(await post(sized(2001, 'small.txt'), formType, '/form', small)).toEqual(
      over('MAX_REQUEST_BYTES', 2000, 2001),
    );
  });
});

test.each([
  [true, 202],
  [false, 200],
])('a procedure may return 202 instead: %s', async (large, status) => {
  const answer = await post(JSON.stringify({ large }), 'application/json', '/large');
  expect(answer).toEqual({ status, body: { large } });
});
