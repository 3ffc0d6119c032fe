import { useEffect, useEffectEvent, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import type { useOpenText } from './use-open-text.ts';
import type { useTexts } from './use-texts.ts';

/**
 * Opens the next text after a decision. If all loaded ones are decided, further ones are loaded, and the next text is
 * opened when it arrives, unless the reviewer has opened another one.
 * @returns a function to call with the announcement of the decision
 */
export function useGoingOn(
  { segments, isComplete, hasMore, loadMore }: ReturnType<typeof useTexts>,
  { segment, moveToNextOpen }: Pick<ReturnType<typeof useOpenText>, 'segment' | 'moveToNextOpen'>,
) {
  const t = useT();
  /** The text after which the next one is opened. */
  const [after, setAfter] = useState<string>();
  const goOn = useEffectEvent(() => {
    if (after === undefined) return;
    if (segment?.id !== after || moveToNextOpen()) setAfter(undefined);
    else if (isComplete) {
      setAfter(undefined);
      announce(t('review.all_done'));
    } else if (hasMore) loadMore();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: further texts have arrived
  useEffect(() => goOn(), [segments]);
  return (said: string) => {
    if (moveToNextOpen()) return announce(said);
    if (isComplete) return announce(`${said} ${t('review.all_done')}`);
    announce(`${said} ${t('editor.loading_texts')}`);
    setAfter(segment?.id);
    if (hasMore) loadMore();
  };
}
