import { useCallback } from 'react';
import { useInterface, useT } from '../i18n.tsx';
import { Problem } from '../parts/problem.tsx';
import { UnsavedEdits } from './store-all.ts';

/** Maximum number of segments that are named. */
const maxNamed = 5;

/** Returns a function that names the segments that are not saved, by their numbers. */
export function useUnsavedText(): (positions: readonly number[]) => string {
  const t = useT();
  const { locale } = useInterface();
  return useCallback(
    (positions) => {
      const named = positions.slice(0, maxNamed).map((position) => String(position + 1));
      const all = positions.length > maxNamed ? [...named, '…'] : named;
      const numbers = new Intl.ListFormat(locale, { type: 'unit' }).format(all);
      return t('editor.unsaved', { count: positions.length, numbers });
    },
    [t, locale],
  );
}

/** Shows an error of an action on the whole document. For unsaved edits, it names their segments and the next step. */
export function ActionProblem({ error }: { error: unknown }) {
  const t = useT();
  const textOf = useUnsavedText();
  if (!(error instanceof UnsavedEdits)) return <Problem error={error} />;
  return (
    <div role="alert" className="problem">
      <p>
        {textOf(error.positions)} {t('editor.unsaved_first')}
      </p>
    </div>
  );
}
