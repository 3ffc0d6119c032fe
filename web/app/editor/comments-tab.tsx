import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { isComposing, isKey } from '../keys/match-key.ts';
import { useFormat } from '../parts/format.ts';
import { Problem } from '../parts/problem.tsx';
import { queryKeys } from '../query-keys.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { CommentDrafts, type SentComment } from './comment-drafts.ts';
import styles from './editor.module.css';

/** The subject of comments: a job, or a segment of a document. */
export interface Commented {
  kind: 'job' | 'document';
  id: string;
  position?: number;
}

/** Maximum number of characters in a comment. */
const maxLength = 4000;

/** Milliseconds between two requests, so that colleagues' comments appear. */
const readAgain = 15_000;

/** The comments on the open segment, the oldest first, and a field for another one. */
export function CommentsTab({ about }: { about: Commented }) {
  const t = useT();
  const queries = useQueryClient();
  const queryKey = queryKeys.comments(about);
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.reviews.comments(about, { signal }),
    refetchInterval: readAgain,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  const removal = useMutation({
    mutationFn: (commentId: string) => client.reviews.deleteComment(commentId),
    onSuccess: refresh,
  });
  return (
    <>
      {error ? <Problem error={error} /> : null}
      {data?.comments.length === 0 && <p className="hint">{t('editor.no_comments')}</p>}
      <ul className={styles['comments']}>
        {data?.comments.map((comment) => (
          <Comment
            key={comment.comment_id}
            comment={comment}
            onDelete={() => removal.mutate(comment.comment_id)}
          />
        ))}
      </ul>
      <NewComment key={JSON.stringify(about)} about={about} onSaved={refresh} />
    </>
  );
}

interface CommentProps {
  comment: { comment_id: string; user_id: string; author: string; body: string; created_at: string };
  onDelete: () => void;
}

function Comment({ comment: { user_id, author, body, created_at }, onDelete }: CommentProps) {
  const t = useT();
  const { moment } = useFormat();
  const { data: me } = useMe();
  const mayDelete = me !== undefined && (me.user.user_id === user_id || isAdministrator(me));
  return (
    <li>
      <header>
        <b>
          <bdi translate="no">{author}</bdi>
        </b>
        <time dateTime={created_at} className={styles['soft']}>
          {moment(created_at)}
        </time>
        {mayDelete && (
          <button
            type="button"
            className="ghost small"
            aria-label={t('editor.delete_comment')}
            onClick={onDelete}
          >
            <Trash2 size={14} aria-hidden />
          </button>
        )}
      </header>
      <p dir="auto">{body}</p>
    </li>
  );
}

/** Unsent comments stay while this page exists. */
const drafts = new CommentDrafts();
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') drafts.clear();
});

function NewComment({ about, onSaved }: { about: Commented; onSaved: () => unknown }) {
  const t = useT();
  const subject = JSON.stringify(about);
  const body = useSyncExternalStore(drafts.subscribe, () => drafts.textOf(subject));
  const addition = useMutation({
    mutationFn: ({ id, body }: SentComment) => client.reviews.comment({ ...about, comment_id: id, body }),
    onSuccess: () => {
      drafts.settle(subject, true);
      return onSaved();
    },
    onError: () => drafts.settle(subject, false),
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const comment = drafts.take(subject);
    if (comment) addition.mutate(comment);
  };
  return (
    <form onSubmit={submit}>
      <textarea
        aria-label={t('editor.new_comment')}
        placeholder={t('editor.new_comment')}
        dir="auto"
        rows={3}
        maxLength={maxLength}
        value={body}
        onChange={({ target }) => drafts.write(subject, target.value)}
        onKeyDown={(event) => {
          // While an input method composes a text, its keys are text and not shortcuts.
          if (isComposing(event.nativeEvent) || !isKey(event.nativeEvent, 'Mod+Enter')) return;
          // Otherwise the key would confirm the segment.
          event.preventDefault();
          event.stopPropagation();
          submit();
        }}
      />
      {addition.error ? <Problem error={addition.error} /> : null}
      <button type="submit" className="small" disabled={body.trim() === '' || addition.isPending}>
        {t('editor.comment')} <kbd>{keyLabel('Mod+Enter')}</kbd>
      </button>
    </form>
  );
}
