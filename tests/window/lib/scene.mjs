// One test's world: a home folder, programs started on it, scripted models; and evidence when the test fails.

import { App } from './app.mjs';
import { startModelServer } from './model-server.mjs';
import { temporaryFolder } from './paths.mjs';

/** Registers the hooks of a `describe` block and gives what its tests use. */
export function useScene() {
  const scene = new Scene();
  beforeEach(() => scene.open());
  afterEach(async function closeScene() {
    await scene.close(this.currentTest);
  });
  return scene;
}

class Scene {
  open() {
    this.home = temporaryFolder('home');
    this.folders = [this.home];
    this.apps = [];
    this.models = [];
  }

  /** A folder that is removed after the test. */
  folder(label) {
    const folder = temporaryFolder(label);
    this.folders.push(folder);
    return folder.path;
  }

  /** Starts the program on this test's home. */
  async launch(env = {}) {
    const app = await App.launch({ home: this.home.path, env });
    this.apps.push(app);
    return app;
  }

  /** Starts a scripted model. */
  async model(script) {
    const model = await startModelServer(script);
    this.models.push(model);
    return model;
  }

  async close(test) {
    try {
      if (test.state === 'failed') {
        for (const app of this.apps.filter((one) => one.isRunning)) await app.keepEvidence(test.fullTitle());
      }
    } finally {
      for (const app of this.apps) await app.dispose();
      const faults = this.models.flatMap((model) => model.faults);
      for (const model of this.models) await model.close();
      for (const folder of this.folders) folder.remove();
      if (test.state !== 'failed' && faults.length > 0) throw new Error(faults.join('\n'));
    }
  }
}
