/** Light and background: the same look in player and studio. */

import * as THREE from "three";

export type ThemeName = "dark" | "light";

export const BACKGROUNDS: Record<ThemeName, number> = { dark: 0x23262b, light: 0xe9eaec };

/** Key light with a shadow, a light from straight above for contact shadows, and the sky. */
export class Lights {
  readonly group = new THREE.Group();
  private readonly key = new THREE.DirectionalLight(0xfff4e6, 2.0);
  private readonly above = new THREE.DirectionalLight(0xffffff, 0.9);
  private readonly sky = new THREE.HemisphereLight(0xe8f0ff, 0x8a8378, 1.15);

  /** From where the key light falls. */
  private readonly from = new THREE.Vector3(-0.45, 1, -0.35);

  constructor() {
    this.key.castShadow = this.above.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.normalBias = 0.02;
    this.key.shadow.radius = 3;
    // Straight from above: darkens the floor below feet, seats and hands.
    this.above.shadow.mapSize.set(1024, 1024);
    this.above.shadow.normalBias = 0.01;
    this.above.shadow.radius = 6;
    for (const light of [this.key, this.above]) this.group.add(light, light.target);
    this.group.add(this.sky);
    this.aim(new THREE.Vector3(), 6);
  }

  /** Light what is within `reach` metres of a point; shadows fall only there. */
  aim(at: THREE.Vector3, reach: number): void {
    for (const [light, away, wide] of [
      [this.key, this.from.clone(), reach],
      [this.above, new THREE.Vector3(0.001, 1, 0), 0.6 * reach],
    ] as const) {
      light.target.position.copy(at);
      light.position.copy(at).addScaledVector(away.normalize(), 3 * reach);
      const camera = light.shadow.camera;
      camera.left = camera.bottom = -wide;
      camera.right = camera.top = wide;
      camera.near = 0.1;
      camera.far = 6 * reach;
      camera.updateProjectionMatrix();
    }
  }

  /** Let the key light fall over the left shoulder of a viewer who stands in a direction. */
  face(away: THREE.Vector3): void {
    const level = new THREE.Vector3(away.x, 0, away.z).normalize();
    const right = new THREE.Vector3(0, 1, 0).cross(level);
    this.from.set(0, 1, 0).addScaledVector(right, -0.45).addScaledVector(level, 0.55);
  }

  setTheme(theme: ThemeName): void {
    this.sky.intensity = theme === "dark" ? 0.95 : 1.35;
  }
}
