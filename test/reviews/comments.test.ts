import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pruneComments } from '#server/review/comments.ts';
import { addDocument, env, type Fields, type Person, revoke } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });

const mine = useReviewers(app);

const add = (item: Fields, body: string, as?: Person) => mine.call('reviews.comment', { ...item, body }, as);

/** The texts of a page of comments, and its cursor. */
async function list(item: Fields, as?: Person): Promise<{ bodies: string[]; next: string | null }> {
  const { comments, next_cursor } = await mine.call('reviews.comments', item, as);
  return { bodies: comments.map(({ body }: { body: string }) => body), next: next_cursor };
}

const aDocument = async () => ({ kind: 'document', id: await addDocument(app, mine.founder) });
const aText = async () => ({ kind: 'job', id: (await mine.held()).id as string });

describe('reviews.comments', () => {
  test('returns the comments of all members, oldest first, each with its author and segment', async () => {
    const item = await aDocument();
    const colleague = await mine.join();
    const first = await add(item, '  About the file ');
    await add({ ...item, position: 1 }, 'About a segment', colleague);
    expect(first).toEqual({
      ...item,
      comment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position: null,
      user_id: mine.founder.userId,
      author: mine.founder.email,
      body: 'About the file',
      mentions: [],
      created_at: expect.any(String),
    });
    const { comments } = await mine.call('reviews.comments', item, colleague);
    expect(comments).toMatchObject([
      first,
      { position: 1, author: colleague.email, body: 'About a segment' },
    ]);
    expect(await list({ ...item, position: 1 })).toEqual({ bodies: ['About a segment'], next: null });
    expect(await list({ ...item, position: 0 })).toEqual({ bodies: [], next: null });
  });

  test('returns 100 comments a page, also if they were written in the same millisecond', async () => {
    const item = await aText();
    await fill(item, 230);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ ...item, ...(cursor && { cursor }) });
      expect(page.bodies.length).toBeLessThanOrEqual(100);
      seen.push(...page.bodies);
      cursor = page.next;
    }
    expect(new Set(seen).size).toBe(230);
    expect(seen).toHaveLength(230);
    expect((await mine.refused('reviews.comments', { ...item, cursor: 'x' })).status).toBe(422);
  });
});

describe('reviews.comment', () => {
  test('rejects an empty text, one of more than 4000 code points, and a segment that does not exist', async () => {
    const item = await aDocument();
    const text = await aText();
    expect((await add(item, '😀'.repeat(4000))).body).toHaveLength(8000);
    const wrong = [
      { ...item, body: ' \n ' },
      { ...item, body: '😀'.repeat(4001) },
      { ...item, body: 'x'.repeat(4001) },
      { ...item, body: 'x', position: 2 },
      { ...text, body: 'x', position: 0 },
      { ...item, body: 'x', comment_id: 'mine' },
    ];
    for (const input of wrong) expect((await mine.refused('reviews.comment', input)).status).toBe(422);
    expect((await list(item)).bodies).toHaveLength(1);
  });

  test('sent again with the same ID, returns the first comment, also twice at once', async () => {
    const item = await aText();
    const sent = { ...item, body: 'Once', comment_id: randomUUID().toUpperCase() };
    const both = await Promise.all([1, 2].map(() => mine.call('reviews.comment', sent)));
    expect(both[0]).toEqual(both[1]);
    expect(both[0].comment_id).toBe(sent.comment_id.toLowerCase());
    expect((await list(item)).bodies).toEqual(['Once']);
  });

  test('rejects the ID of another comment', async () => {
    const item = await aText();
    const { comment_id } = await add(item, 'First');
    const colleague = await mine.join();
    const sent = { ...item, comment_id, body: 'First' };
    const others: [Fields, Person?][] = [
      [{ ...sent, body: 'Second' }],
      [{ ...sent, ...(await aText()) }],
      [sent, colleague],
      [{ ...sent, mentions: [colleague.userId] }],
    ];
    for (const [input, as] of others)
      expect((await mine.refused('reviews.comment', input, as)).body).toMatchObject({
        error_code: 'conflict',
      });
    expect((await list(item)).bodies).toEqual(['First']);
    // In another workspace, the ID is free.
    const theirs = await openReviewers(app);
    const elsewhere = { kind: 'job', id: (await theirs.held()).id, comment_id, body: 'Theirs' };
    expect(await theirs.call('reviews.comment', elsewhere)).toMatchObject({ body: 'Theirs' });
    expect((await list(item)).bodies).toEqual(['First']);
  });

  test('rejects the 1001st comment on an item with the limit, also of two at once', async () => {
    const item = await aText();
    await fill(item, 999);
    const last = { ...item, body: 'Last', comment_id: randomUUID() };
    const answers = await Promise.all([
      mine.refused('reviews.comment', last),
      mine.refused('reviews.comment', { ...last, comment_id: randomUUID() }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ limit: 1000 });
    const [stored] = await mine.sql()`
      select count(*)::int as comments from review_comments where item_id = ${item.id}`;
    expect(stored).toEqual({ comments: 1000 });
    const known = answers[0].status === 200 ? last : undefined;
    if (known) expect((await mine.refused('reviews.comment', known)).status).toBe(200);
  });

  test('mentions active members of the workspace only, each once', async () => {
    const item = await aText();
    const colleague = await mine.join();
    const gone = await mine.join();
    await revoke(app, mine.founder, gone);
    const { founder: stranger } = await openReviewers(app);
    const { userId: user_id, email } = colleague;
    const mentions = [user_id, user_id];
    const body = 'Please look';
    expect((await mine.call('reviews.comment', { ...item, body, mentions })).mentions).toEqual([
      { user_id, email },
    ]);
    for (const { userId } of [gone, stranger])
      expect(
        (await mine.refused('reviews.comment', { ...item, body, mentions: [user_id, userId] })).status,
      ).toBe(422);
    const many = Array.from({ length: 21 }, () => user_id);
    expect((await mine.refused('reviews.comment', { ...item, body, mentions: many })).status).toBe(422);
  });
});

describe('reviews.deleteComment', () => {
  test('deletes for the author and for administrators, and for no one else', async () => {
    const item = await aText();
    const [author, other] = [await mine.join(), await mine.join()];
    const [first, second] = [await add(item, 'One', author), await add(item, 'Two', author)];
    const { comment_id } = first;
    expect((await mine.refused('reviews.deleteComment', { comment_id }, other)).status).toBe(403);
    const { founder: stranger, refused } = await openReviewers(app);
    expect((await refused('reviews.deleteComment', { comment_id }, stranger)).status).toBe(404);
    expect((await list(item)).bodies).toEqual(['One', 'Two']);
    await mine.call('reviews.deleteComment', { comment_id }, author);
    await mine.call('reviews.deleteComment', { comment_id: second.comment_id });
    expect((await list(item)).bodies).toEqual([]);
    expect((await mine.refused('reviews.deleteComment', { comment_id }, author)).status).toBe(404);
  });
});

describe('a deleted comment', () => {
  test('is not added again by a late copy of its request, and leaves no text', async () => {
    const item = await aText();
    const colleague = await mine.join();
    const sent = { ...item, body: 'Secret', comment_id: randomUUID(), mentions: [colleague.userId] };
    const { comment_id } = await mine.call('reviews.comment', sent);
    await mine.call('reviews.deleteComment', { comment_id });
    expect((await mine.refused('reviews.comment', sent)).body).toMatchObject({ error_code: 'conflict' });
    expect((await list(item)).bodies).toEqual([]);
    expect((await mine.call('reviews.mentions', {}, colleague)).mentions).toEqual([]);
    const rows = () =>
      mine.sql()`select body, mentions from review_comments where comment_id = ${comment_id}`;
    expect([...(await rows())]).toEqual([{ body: '', mentions: [] }]);
    await mine.sql()`update review_comments set deleted_at = now() - interval '25 hours' where comment_id = ${comment_id}`;
    expect(await app.services.database.inPlatform(pruneComments)).toBe(1);
    expect(await rows()).toHaveLength(0);
  });

  test('leaves its place on the item to another one', async () => {
    const item = await aText();
    await fill(item, 999);
    const { comment_id } = await add(item, 'The last one');
    expect((await mine.refused('reviews.comment', { ...item, body: 'x' })).status).toBe(409);
    await mine.call('reviews.deleteComment', { comment_id });
    expect((await mine.refused('reviews.comment', { ...item, body: 'x' })).status).toBe(200);
  });
});

describe('a deleted item', () => {
  const remove = ({ kind, id }: Fields) =>
    app.json('DELETE', `/api/${kind === 'job' ? 'translations' : 'documents'}/${id}`, {
      headers: mine.founder.bearer,
    });
  const stored = async () => {
    const { tenantId } = mine.founder;
    const rows =
      await mine.sql()`select body from review_comments where tenant_id = ${tenantId} order by body`;
    return rows.map(({ body }) => body);
  };

  test.each([
    ['text', aText],
    ['document', aDocument],
  ])('loses its comments, and no other item does: %s', async (_, create) => {
    const [gone, kept] = [await create(), await create()];
    await add(gone, 'Gone');
    await add(kept, 'Kept');
    expect((await remove(gone)).status).toBe(200);
    expect(await stored()).toEqual(['Kept']);
    expect((await mine.refused('reviews.comment', { ...gone, body: 'Late' })).status).toBe(404);
  });

  test('gets no comment that is written at the same time', async () => {
    for (const item of [await aText(), await aDocument()]) {
      const writes = Array.from({ length: 6 }, () =>
        mine.refused('reviews.comment', { ...item, body: 'At once' }),
      );
      await Promise.all([...writes.slice(0, 3), remove(item), ...writes.slice(3)]);
      expect(await stored()).toEqual([]);
    }
  });
});

describe('reviews.mentions', () => {
  test('returns the comments that mention the member, latest first, with the name of the item', async () => {
    const colleague = await mine.join();
    const document = await aDocument();
    const text = { kind: 'job', id: (await mine.held({ source_text: 'Dear Sir' })).id };
    const mentions = [colleague.userId];
    const first = await mine.call('reviews.comment', { ...document, position: 1, body: 'One', mentions });
    await add(text, 'For no one');
    await mine.call('reviews.comment', { ...text, body: 'Two', mentions });
    const found = await mine.call('reviews.mentions', {}, colleague);
    expect(found.mentions).toMatchObject([
      { ...text, body: 'Two', item_name: 'Dear Sir' },
      { ...document, position: 1, body: 'One', item_name: 'Book.xlsx', author: mine.founder.email },
    ]);
    expect((await mine.call('reviews.mentions')).mentions).toEqual([]);
    const later = await mine.call('reviews.mentions', { since: first.created_at }, colleague);
    expect(later.mentions).toMatchObject([{ body: 'Two' }]);
  });

  test('returns 50 a page, also if they were written in the same millisecond', async () => {
    const item = await aText();
    await fill(item, 120, [mine.founder.userId]);
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await mine.call('reviews.mentions', cursor ? { cursor } : {});
      pages.push(page.mentions.map(({ body }: { body: string }) => body));
      cursor = page.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(new Set(pages.flat()).size).toBe(120);
    expect((await mine.refused('reviews.mentions', { cursor: 'x' })).status).toBe(422);
  });

  test('examines 5,000 comments for a page; the next page continues there', async () => {
    const item = await aText();
    await mine.call('reviews.comment', { ...item, body: 'Old', mentions: [mine.founder.userId] });
    await fill(item, 5000);
    const { mentions, next_cursor } = await mine.call('reviews.mentions');
    expect(mentions).toEqual([]);
    const next = await mine.call('reviews.mentions', { cursor: next_cursor });
    expect(next).toMatchObject({ mentions: [{ body: 'Old' }], next_cursor: null });
  });
});

/** Stores comments on an item, all written at the same time. */
async function fill({ kind, id }: { kind: string; id: string }, count: number, mentions: string[] = []) {
  const { tenantId, userId, email } = mine.founder;
  await mine.sql()`
    insert into review_comments (tenant_id, comment_id, item_kind, item_id, user_id, author, body, mentions)
    select ${tenantId}, gen_random_uuid()::text, ${kind}, ${id}, ${userId}, ${email}, n::text,
      ${JSON.stringify(mentions)}::text::jsonb
    from generate_series(1, ${count}) n`;
}
