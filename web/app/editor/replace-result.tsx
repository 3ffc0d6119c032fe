import { useT } from '../i18n.tsx';
import { Problem } from '../parts/problem.tsx';
import type { ReplacementResult } from './replacements.ts';

/** Which replacements were stored, and which were not. */
export function ReplaceResult({ of: { changed, steps, conflicts, error } }: { of: ReplacementResult }) {
  const t = useT();
  return (
    <>
      {changed > 0 && (
        <p className="notice" role="status">
          <b>{t('editor.replaced', { count: changed })}</b>{' '}
          {steps > 0 && t('editor.replaced_undo', { count: steps })}
        </p>
      )}
      {conflicts.length > 0 && (
        <p className="notice">{t('editor.replace_conflicts', { count: conflicts.length })}</p>
      )}
      {error ? <Problem error={error} /> : null}
    </>
  );
}
