import { useEffect, useState } from 'react';
import { useApp, useUi, useWorkbench } from '@/state';

/** Below this width, in pixels at 100 %, the side panel becomes a drawer. */
const PANEL_BESIDE_PX = 1_100;

/** Below this width the session list becomes a drawer too. */
const SIDEBAR_BESIDE_PX = 900;

/** How the window is divided now. */
export interface Layout {
  sidebar: 'beside' | 'drawer';
  panel: 'beside' | 'drawer';
  sidebarOpen: boolean;
  panelOpen: boolean;
}

/** Divides the window by its width and what the person opened. */
export function useLayout(): Layout {
  const width = useScaledWidth();
  const sidebar = width < SIDEBAR_BESIDE_PX ? 'drawer' : 'beside';
  const panel = width < PANEL_BESIDE_PX ? 'drawer' : 'beside';
  const sidebarWanted = useUi((state) => state.sidebarOpen);
  const panelWanted = useUi((state) => state.panelOpen);
  const { ui } = useWorkbench();
  const reviewing = useUi((state) => state.route.name === 'review');
  // A review takes the whole width unless the person opened something on purpose.
  const panelOpen = panelWanted ?? (panel === 'beside' && !reviewing);
  useForgetOnChange(sidebar, panel);
  useEffect(() => {
    ui.setState({ panelShown: panelOpen });
  }, [ui, panelOpen]);
  return { sidebar, panel, sidebarOpen: sidebarWanted ?? (sidebar === 'beside' && !reviewing), panelOpen };
}

/** A drawer that was open must not cover the window after it became wide, nor the other way round. */
function useForgetOnChange(sidebar: Layout['sidebar'], panel: Layout['panel']): void {
  const { ui } = useWorkbench();
  useEffect(() => {
    ui.setState({ sidebarOpen: null });
  }, [ui, sidebar]);
  useEffect(() => {
    ui.setState({ panelOpen: null });
  }, [ui, panel]);
}

function useScaledWidth(): number {
  const scale = useApp((state) => state.settings?.ui_scale ?? 100);
  const [width, setWidth] = useState(() => window.innerWidth);
  useEffect(() => {
    const onResize = () => {
      setWidth(window.innerWidth);
    };
    window.addEventListener('resize', onResize);
    return () => {
      window.removeEventListener('resize', onResize);
    };
  }, []);
  return (width * 100) / scale;
}
