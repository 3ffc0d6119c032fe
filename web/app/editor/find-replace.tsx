import { lazy, Suspense, useState } from 'react';
import { useCommands } from '../keys/use-commands.ts';
import { Loading } from '../parts/loading.tsx';
import type { ReplaceDialogProps } from './replace-dialog.tsx';

const ReplaceDialog = lazy(() => import('./replace-dialog.tsx'));

/** Maximum length of a selection that is taken over as the sought text, in UTF-16 units. */
const maxSelection = 100;

/** Find and replace in the translations of a document: a command that opens a dialog, which is loaded at that time. */
export function FindReplace(props: Omit<ReplaceDialogProps, 'sought' | 'onClose'>) {
  const [sought, setSought] = useState<string | null>(null);
  useCommands({ replaceText: () => setSought(selectedText() || (props.filter.text ?? '')) });
  if (sought === null) return null;
  return (
    <Suspense fallback={<Loading />}>
      <ReplaceDialog {...props} sought={sought} onClose={() => setSought(null)} />
    </Suspense>
  );
}

/** The selected text in the focused text field; empty if it is not suitable for a search. */
function selectedText(): string {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement)) return '';
  const selected = field.value.slice(field.selectionStart, field.selectionEnd);
  return selected.length <= maxSelection && !selected.includes('\n') ? selected : '';
}
