import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useSyncExternalStore } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { isComposing, isKey } from '../keys/match-key.ts';
import { Fill, Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';
import { useMemberNames } from '../parts/member-name.tsx';
import { Problem } from '../parts/problem.tsx';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { CommentDrafts, type Commented, type SentComment } from './comment-drafts.ts';
import styles from './comments.module.css';
import { MentionField } from './mention-field.tsx';
import { splitAtMentions } from './mentions.ts';

/** Milliseconds between two requests, so that colleagues' comments appear. */
const readAgain = 15_000;

/** The comments on the open segment, the oldest first, and a field for another one. */
export function CommentsTab({ about }: { about: Commented }) {
  const t = useT();
  const queries = useQueryClient();
  const queryKey = queryKeys.comments(about);
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => procedures.reviews.comments.query(about, { signal }),
    refetchInterval: readAgain,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  const removal = useMutation({
    mutationFn: (commentId: string) => procedures.reviews.deleteComment.mutate({ comment_id: commentId }),
    onSuccess: refresh,
  });
  return (
    <>
      {error ? <Problem error={error} /> : null}
      {data?.comments.length === 0 && <p className="hint">{t('editor.no_comments')}</p>}
      <Stack as="ul" gap={2}>
        {data?.comments.map((comment) => (
          <Comment
            key={comment.comment_id}
            comment={comment}
            onDelete={() => removal.mutate(comment.comment_id)}
          />
        ))}
      </Stack>
      <NewComment key={JSON.stringify(about)} about={about} onSaved={refresh} />
    </>
  );
}

interface CommentProps {
  comment: OutputOf<'reviews.comments'>['comments'][number];
  onDelete: () => void;
}

function Comment({ comment: { user_id, author, body, mentions, created_at }, onDelete }: CommentProps) {
  const t = useT();
  const { moment } = useFormat();
  const { data: me } = useMe();
  const nameOf = useMemberNames();
  const names = mentions.flatMap(({ email }) => email ?? []);
  const mayDelete = me !== undefined && (me.user.user_id === user_id || isAdministrator(me));
  return (
    <Card as="li" pad={3} gap={1}>
      <Row as="header">
        <b>
          <bdi translate="no">{nameOf(user_id) === user_id ? author : nameOf(user_id)}</bdi>
        </b>
        <Fill>
          <Text as="time" size="xs" tone="faint" dateTime={created_at}>
            {moment(created_at)}
          </Text>
        </Fill>
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
      </Row>
      <p dir="auto" className={styles['body']}>
        {splitAtMentions(body, names).map((piece, index) =>
          index % 2 === 0 ? (
            piece
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a comment never change
            <bdi key={index} translate="no" className={styles['mention']}>
              {piece}
            </bdi>
          ),
        )}
      </p>
    </Card>
  );
}

/** Maximum number of characters in a comment. */
const maxLength = 4000;

/** Unsent comments stay while this page exists. */
const drafts = new CommentDrafts();
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') drafts.clear();
});

/** A field for a comment, which can mention colleagues. */
function NewComment({ about, onSaved }: { about: Commented; onSaved: () => unknown }) {
  const t = useT();
  const subject = JSON.stringify(about);
  const body = useSyncExternalStore(drafts.subscribe, () => drafts.textOf(subject));
  const addition = useMutation({
    mutationFn: ({ id, body, mentions }: SentComment) =>
      procedures.reviews.comment.mutate({ ...about, comment_id: id, body, mentions: [...mentions] }),
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
    <Stack as="form" gap={2} align="start" onSubmit={submit}>
      <MentionField
        label={t('editor.new_comment')}
        text={body}
        maxLength={maxLength}
        onText={(text) => drafts.write(subject, text)}
        onColleagues={drafts.know}
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
      <button type="submit" className="small" aria-disabled={body.trim() === '' || addition.isPending}>
        {t('editor.comment')} <kbd>{keyLabel('Mod+Enter')}</kbd>
      </button>
    </Stack>
  );
}
