import { lazy, Suspense, useState } from 'react';
import { loadWords } from '../i18n.tsx';
import { useCommands } from './use-commands.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeySettings = lazy(async () => ({ default: (await import('./key-settings.tsx')).KeySettings }));

/** The keys (`?`) and the command palette (Mod+K), on any screen with commands. */
export function CommandDialogs() {
  const [open, setOpen] = useState<'keys' | 'palette'>();
  // The names of some commands load with these dialogs.
  const show = (dialog: typeof open) => void loadWords('tools').then(() => setOpen(dialog));
  useCommands({ help: () => show('keys'), palette: () => show('palette') });
  const close = () => setOpen(undefined);
  if (!open) return null;
  return (
    <Suspense>{open === 'keys' ? <KeySettings onClose={close} /> : <Palette onClose={close} />}</Suspense>
  );
}
