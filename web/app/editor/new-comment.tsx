import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { isComposing, isKey } from '../keys/match-key.ts';
import { Problem } from '../parts/problem.tsx';
import { onSessionChange, sessionState } from '../session/keeper.ts';
import { CommentDrafts, type Commented, type SentComment } from './comment-drafts.ts';
import { MentionField } from './mention-field.tsx';

/** Maximum number of characters in a comment. */
const maxLength = 4000;

/** Unsent comments stay while this page exists. */
const drafts = new CommentDrafts();
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') drafts.clear();
});

/** A field for a comment, which can mention colleagues. */
export function NewComment({ about, onSaved }: { about: Commented; onSaved: () => unknown }) {
  const t = useT();
  const subject = JSON.stringify(about);
  const body = useSyncExternalStore(drafts.subscribe, () => drafts.textOf(subject));
  const addition = useMutation({
    mutationFn: ({ id, body, mentions }: SentComment) =>
      client.reviews.comment({ ...about, comment_id: id, body, mentions: [...mentions] }),
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
      <button type="submit" className="small" disabled={body.trim() === '' || addition.isPending}>
        {t('editor.comment')} <kbd>{keyLabel('Mod+Enter')}</kbd>
      </button>
    </form>
  );
}
