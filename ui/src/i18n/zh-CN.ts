import type { Catalogue } from './en';
import { app } from './zh-CN/app';
import { changes } from './zh-CN/changes';
import { shells } from './zh-CN/shells';
import { work } from './zh-CN/work';

/** 简体中文. */
export const zhCN: Catalogue = { ...app, ...changes, ...shells, ...work };
