import { describe, expect, test } from 'vitest';
import { CommentDrafts } from '#web/app/editor/comment-drafts.ts';

describe('comments that are not sent yet', () => {
  test('stay with their subject when another one is opened', () => {
    const drafts = new CommentDrafts();
    drafts.write('segment 1', 'half a sent');
    expect(drafts.textOf('segment 2')).toBe('');
    expect(drafts.textOf('segment 1')).toBe('half a sent');
  });

  test('leave the field empty while they are sent, so that the end of sending deletes nothing that was typed since', () => {
    const drafts = new CommentDrafts();
    drafts.write('a', ' first ');
    expect(drafts.take('a')?.body).toBe('first');
    expect(drafts.textOf('a')).toBe('');
    drafts.write('a', 'second');
    expect(drafts.take('a')).toBeUndefined();
    drafts.settle('a', true);
    expect(drafts.textOf('a')).toBe('second');
  });

  test('return to the field if they could not be stored, before what was typed since', () => {
    const drafts = new CommentDrafts();
    drafts.write('a', 'first');
    drafts.take('a');
    drafts.write('a', 'second');
    drafts.settle('a', false);
    expect(drafts.textOf('a')).toBe('first\nsecond');
  });

  test('are sent again with the same ID only if the text is the same', () => {
    const drafts = new CommentDrafts();
    drafts.write('a', 'text');
    const first = drafts.take('a');
    drafts.settle('a', false);
    const again = drafts.take('a');
    expect(again?.id).toBe(first?.id);
    drafts.settle('a', false);
    drafts.write('a', 'another text');
    expect(drafts.take('a')?.id).not.toBe(first?.id);
    drafts.settle('a', true);
    drafts.write('a', 'text');
    expect(drafts.take('a')?.id).not.toBe(first?.id);
  });

  test('mention the colleagues whose whole names they contain, also if the text is restored after a failure', () => {
    const drafts = new CommentDrafts();
    drafts.know([
      { user_id: '1', name: 'ann@a.org' },
      { user_id: '2', name: 'ann@a.org.uk' },
      { user_id: '3', name: 'bo@a.org' },
    ]);
    const mentioned = (text: string) => {
      drafts.write('a', text);
      const { mentions } = drafts.take('a') ?? {};
      drafts.settle('a', true);
      return mentions;
    };
    expect(mentioned('Ask @ann@a.org.')).toEqual(['1']);
    expect(mentioned('Ask @Ann@a.org.uk, ＠bo@a.org and @bo@a.org')).toEqual(['2', '3']);
    expect(mentioned('Ask x@bo@a.org, bo@a.org and @bo@a.organization')).toEqual([]);
    drafts.write('a', 'Ask @bo@a.org');
    const first = drafts.take('a');
    drafts.settle('a', false);
    expect(drafts.take('a')).toEqual(first);
  });

  test('are deleted at a sign-out, so that the next member does not see them', () => {
    const drafts = new CommentDrafts();
    drafts.write('a', 'text');
    drafts.take('a');
    drafts.write('a', 'more');
    drafts.clear();
    drafts.settle('a', false);
    expect(drafts.textOf('a')).toBe('');
    drafts.know([{ user_id: '1', name: 'ann@a.org' }]);
    drafts.clear();
    drafts.write('a', '@ann@a.org');
    expect(drafts.take('a')?.mentions).toEqual([]);
  });

  test('tell their listeners about each change', () => {
    const drafts = new CommentDrafts();
    let calls = 0;
    const end = drafts.subscribe(() => {
      calls += 1;
    });
    drafts.write('a', 'x');
    end();
    drafts.write('a', 'xy');
    expect(calls).toBe(1);
  });
});
