import {
  Bot,
  CircleHelp,
  FilePen,
  FileText,
  Globe,
  ListTodo,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react';
import type { ToolItem } from '@/lib/toolItem';

/** One picture per kind of tool, everywhere the same. */
export function ToolIcon({ tool }: { tool: Pick<ToolItem, 'name' | 'tool_kind'> }) {
  const props = { className: 'icon tool-icon', 'aria-hidden': true } as const;
  if (tool.name === 'todo_write') return <ListTodo {...props} />;
  if (tool.name === 'ask_user_question') return <CircleHelp {...props} />;
  switch (tool.tool_kind) {
    case 'read':
      return <FileText {...props} />;
    case 'search':
      return <Search {...props} />;
    case 'fetch':
      return <Globe {...props} />;
    case 'edit':
    case 'delete':
    case 'move':
      return <FilePen {...props} />;
    case 'execute':
      return <SquareTerminal {...props} />;
    case 'agent':
      return <Bot {...props} />;
    case 'think':
    case 'other':
    case null:
      return <Wrench {...props} />;
  }
}
