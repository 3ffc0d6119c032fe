import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { InterfaceProvider, loadInterface } from './i18n.tsx';
import { queryClient } from './query-client.ts';
import { router } from './router.tsx';
import { start } from './session/keeper.ts';

// Both are needed before the first screen and load in parallel. The session's script has already run.
await Promise.all([loadInterface(), start()]);

createRoot(document.getElementById('app') as HTMLElement).render(
  <InterfaceProvider>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </InterfaceProvider>,
);
