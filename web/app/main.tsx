import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { InterfaceProvider, loadInterface } from './i18n.tsx';
import { queryClient } from './query-client.ts';
import { router } from './router.tsx';
import { start } from './session/keeper.ts';

// The messages and the state of the sign-in load in parallel; the first screen needs both. The page's first script has
// already requested the session.
await Promise.all([loadInterface(), start()]);

createRoot(document.getElementById('app') as HTMLElement).render(
  <InterfaceProvider>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </InterfaceProvider>,
);
