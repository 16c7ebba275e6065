// The player. RECORD holds the scene, surfaces and numbers of a simulation; arrays of floats are base64.
'use strict';

const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const poses = floats(RECORD.poses);        // frame × body × (x y z, w x y z, speed)
const nodes = floats(RECORD.nodes);        // frame × node × 3
const contacts = floats(RECORD.contacts);  // contact × (x y z, fx fy fz, status, a, b)
const frames = RECORD.times.length, bodies = RECORD.bodies.length;
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const get = (id) => document.getElementById(id);
const STATUS = [0x8a94a6, 0x2f7ed8, 0xe4572e];  // take-off, stick, slide
const PALETTE = [0x4e79a7, 0xf28e2b, 0x59a14f, 0xb07aa1, 0x76b7b2, 0xedc948, 0xe15759, 0x9c755f];

// Scene, lights, camera. z is up in space, y in the plane.
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
camera.up.set(0, RECORD.dim === 2 ? 1 : 0, RECORD.dim === 2 ? 0 : 1);
const renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
renderer.setPixelRatio(window.devicePixelRatio);
renderer.setClearColor(dark ? 0x14171c : 0xf4f5f7);
get('view').appendChild(renderer.domElement);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d99, 0.75));
const sun = new THREE.DirectionalLight(0xffffff, 0.6);
scene.add(sun);

function geometry(surface) {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(floats(surface.points), 3));
  g.setIndex(surface.triangles);
  // Flat faces for what has edges, smooth ones for what is round.
  const out = surface.smooth ? g : g.toNonIndexed();
  out.computeVertexNormals();
  return out;
}
const surfaces = RECORD.surfaces.map(geometry);
const meshes = RECORD.bodies.map((body, k) => {
  const fixed = body.kind === 'fixed';
  const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide, transparent: body.see_through, opacity: body.see_through ? 0.25 : 1});
  const mesh = new THREE.Mesh(surfaces[body.surface], material);
  mesh.userData.colour = new THREE.Color(fixed ? 0xaab2bf : body.kind === 'moving' ? 0xc9a227 : PALETTE[k % PALETTE.length]);
  scene.add(mesh);
  return mesh;
});
const solids = RECORD.solids.map((solid) => {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * solid.nodes), 3));
  g.setIndex(solid.triangles);
  g.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * solid.nodes), 3));
  const mesh = new THREE.Mesh(g, new THREE.MeshPhongMaterial({side: THREE.DoubleSide, flatShading: true, shininess: 0, vertexColors: true}));
  mesh.frustumCulled = false;
  scene.add(mesh);
  return mesh;
});

// Joints as lines from the bodies to the point that holds them; bodies that are hardly to be seen as dots.
const joint_ends = RECORD.joints.flatMap((joint) => [joint.a, joint.b].filter((k) => k >= 0).map((k) => {
  const start = new THREE.Vector3(...joint.point).sub(new THREE.Vector3(poses[8 * k], poses[8 * k + 1], poses[8 * k + 2]));
  return [k, start.applyQuaternion(new THREE.Quaternion(poses[8 * k + 4], poses[8 * k + 5], poses[8 * k + 6], poses[8 * k + 3]).conjugate())];
}));
const lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: dark ? 0xd0d4da : 0x333333}));
lines.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * joint_ends.length), 3));
surfaces.forEach((g) => g.computeBoundingSphere());
const tiny = RECORD.bodies.map((body, k) => k).filter((k) => RECORD.bodies[k].kind === 'dynamic' &&
                                                             surfaces[RECORD.bodies[k].surface].boundingSphere.radius < 0.01 * RECORD.size);
const dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({size: 7, sizeAttenuation: false, vertexColors: true}));
for (const key of ['position', 'color']) dots.geometry.setAttribute(key, new THREE.BufferAttribute(new Float32Array(3 * tiny.length), 3));
for (const mesh of [lines, dots]) { mesh.frustumCulled = false; scene.add(mesh); }

// Contacts as balls, force chains as rods between the centres of bodies and the contact.
const most = Math.max(1, ...RECORD.counts);
const size = RECORD.size;
const ball = new THREE.InstancedMesh(new THREE.SphereBufferGeometry(1, 8, 6), new THREE.MeshBasicMaterial({color: 0xd7263d, depthTest: false}), most);
const rod = new THREE.InstancedMesh(new THREE.CylinderBufferGeometry(1, 1, 1, 8).translate(0, 0.5, 0),
                                    new THREE.MeshBasicMaterial({color: 0xd7263d, depthTest: false, transparent: true, opacity: 0.7}), 2 * most);
for (const mesh of [ball, rod]) { mesh.frustumCulled = false; mesh.renderOrder = 1; scene.add(mesh); }
let strongest = 0;
for (let k = 0; k < contacts.length; k += 9) strongest = Math.max(strongest, Math.hypot(contacts[k + 3], contacts[k + 4], contacts[k + 5]));
// Nodes of solids: their way since the frame before.
const node_count = nodes.length / frames;
function node_speed(frame, node) {
  const to_frame = Math.max(1, frame), p = 3 * node, now = to_frame * node_count + p, before = now - node_count;
  if (frames < 2) return 0;
  return Math.hypot(nodes[now] - nodes[before], nodes[now + 1] - nodes[before + 1], nodes[now + 2] - nodes[before + 2]) /
    (RECORD.times[to_frame] - RECORD.times[to_frame - 1]);
}
let fastest = 1e-9;
for (let k = 7; k < poses.length; k += 8) fastest = Math.max(fastest, poses[k]);
for (let frame = 1; frame < frames; ++frame)
  for (let node = 0; node < node_count / 3; ++node) fastest = Math.max(fastest, node_speed(frame, node));
const starts = [0];
for (const count of RECORD.counts) starts.push(starts[starts.length - 1] + count);

function paint(frame) {
  const mode = get('colour').value, worst = new Int8Array(bodies + solids.length).fill(-1);
  if (mode === 'status')
    for (let c = starts[frame]; c < starts[frame + 1]; ++c)
      for (const end of [contacts[9 * c + 7], contacts[9 * c + 8]]) worst[end] = Math.max(worst[end], contacts[9 * c + 6]);
  const colour = new THREE.Color();
  let node = 0;
  solids.forEach((mesh, k) => {
    const colours = mesh.geometry.attributes.color;
    for (let i = 0; i < RECORD.solids[k].nodes; ++i, ++node) {
      if (mode === 'speed') colour.setHSL(0.62 * (1 - Math.min(1, Math.sqrt(node_speed(frame, node) / fastest))), 0.75, 0.5);
      else if (mode === 'status') colour.setHex(STATUS[Math.max(0, worst[bodies + k])]);
      else colour.setHex(PALETTE[(bodies + k) % PALETTE.length]);
      colours.setXYZ(i, colour.r, colour.g, colour.b);
    }
    colours.needsUpdate = true;
  });
  meshes.forEach((mesh, k) => {
    const moves = RECORD.bodies[k].kind === 'dynamic';
    if (mode === 'speed' && moves) {
      const share = Math.sqrt(poses[8 * (frame * bodies + k) + 7] / fastest);
      mesh.material.color.setHSL(0.62 * (1 - share), 0.75, 0.5);
    } else if (mode === 'status' && moves) {
      mesh.material.color.setHex(worst[k] < 0 ? STATUS[0] : STATUS[worst[k]]);
    } else {
      mesh.material.color.copy(mesh.userData.colour);
    }
  });
  tiny.forEach((k, i) => dots.geometry.attributes.color.setXYZ(i, ...meshes[k].material.color.toArray()));
  dots.geometry.attributes.color.needsUpdate = true;
}

// What the colours mean.
const MEANING = ['open', 'stick', 'slide'];
function explain() {
  const mode = get('colour').value, item = (colour, text) => `<i style="background:${colour}"></i>${text}`;
  const colour = new THREE.Color();
  get('legend').innerHTML = mode === 'status' ? STATUS.map((c, k) => item('#' + colour.setHex(c).getHexString(), MEANING[k])).join('')
    : mode === 'speed' ? [0, 0.5, 1].map((s) => item('#' + colour.setHSL(0.62 * (1 - s), 0.75, 0.5).getHexString(),
                                                      `${(s * s * fastest).toPrecision(2)} m/s`)).join('') : '';
}

const matrix = new THREE.Matrix4(), up = new THREE.Vector3(0, 1, 0), from = new THREE.Vector3(), to = new THREE.Vector3();
const turn = new THREE.Quaternion(), scale = new THREE.Vector3();
function show_contacts(frame) {
  const first = starts[frame], count = starts[frame + 1] - first;
  ball.count = get('points').checked ? count : 0;
  rod.count = get('chains').checked ? 2 * count : 0;
  for (let k = 0; k < count; ++k) {
    const c = 9 * (first + k);
    from.set(contacts[c], contacts[c + 1], contacts[c + 2]);
    const r = 0.012 * size;
    ball.setMatrixAt(k, matrix.compose(from, turn.set(0, 0, 0, 1), scale.set(r, r, r)));
    const force = Math.hypot(contacts[c + 3], contacts[c + 4], contacts[c + 5]);
    const thick = strongest > 0 ? 0.03 * size * Math.sqrt(force / strongest) : 0;
    for (let end = 0; end < 2; ++end) {
      const body = contacts[c + 7 + end], moves = body >= bodies || RECORD.bodies[body].kind === 'dynamic';
      if (body >= bodies) {
        to.copy(middles[body - bodies]).sub(from);
      } else if (moves) {
        const p = 8 * (frame * bodies + body);
        to.set(poses[p], poses[p + 1], poses[p + 2]).sub(from);
      }
      const length = moves ? to.length() : 0;
      if (length > 0) turn.setFromUnitVectors(up, to.multiplyScalar(1 / length));
      rod.setMatrixAt(2 * k + end, matrix.compose(from, turn, scale.set(length > 0 ? thick : 0, length, length > 0 ? thick : 0)));
    }
  }
  ball.instanceMatrix.needsUpdate = rod.instanceMatrix.needsUpdate = true;
}

let shown = 0;
const middles = solids.map(() => new THREE.Vector3());
function show(frame) {
  shown = frame;
  meshes.forEach((mesh, k) => {
    const p = 8 * (frame * bodies + k);
    mesh.position.set(poses[p], poses[p + 1], poses[p + 2]);
    mesh.quaternion.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
  });
  let first = frame * nodes.length / frames;
  solids.forEach((mesh, k) => {
    const count = 3 * RECORD.solids[k].nodes, array = mesh.geometry.attributes.position;
    array.array.set(nodes.subarray(first, first + count));
    array.needsUpdate = true;
    middles[k].set(0, 0, 0);
    for (let i = 0; i < count; i += 3) middles[k].add(to.fromArray(array.array, i));
    middles[k].multiplyScalar(3 / count);
    first += count;
  });
  joint_ends.forEach(([k, arm], i) => {
    lines.geometry.attributes.position.setXYZ(2 * i, ...meshes[k].position.toArray());
    lines.geometry.attributes.position.setXYZ(2 * i + 1, ...to.copy(arm).applyQuaternion(meshes[k].quaternion).add(meshes[k].position).toArray());
  });
  tiny.forEach((k, i) => dots.geometry.attributes.position.setXYZ(i, ...meshes[k].position.toArray()));
  lines.geometry.attributes.position.needsUpdate = dots.geometry.attributes.position.needsUpdate = true;
  paint(frame);
  show_contacts(frame);
  get('scrub').value = frame;
  get('facts').textContent = `step ${RECORD.steps[frame]}   ${RECORD.times[frame].toFixed(3)} s   ${RECORD.counts[frame]} contacts   ` +
    `kinetic ${RECORD.kinetic[frame].toPrecision(3)} J` + (RECORD.solved[frame] ? '' : '   NOT SOLVED');
  draw();
}

// Camera: a point to look at, two angles, a distance.
const look = new THREE.Vector3(...RECORD.centre);
let around = RECORD.dim === 2 ? 0 : -1.1, above = RECORD.dim === 2 ? 0 : 0.35, distance = 2.2 * size;
function draw() {
  const c = Math.cos(above), eye = RECORD.dim === 2 ? [Math.sin(around) * c, Math.sin(above), Math.cos(around) * c]
                                                    : [Math.cos(around) * c, Math.sin(around) * c, Math.sin(above)];
  camera.position.set(...eye).multiplyScalar(distance).add(look);
  camera.near = distance / 1000;
  camera.far = distance * 100;
  camera.updateProjectionMatrix();
  camera.lookAt(look);
  sun.position.copy(camera.position).add(camera.up);
  renderer.render(scene, camera);
}
const canvas = renderer.domElement;
let drag = null;
canvas.addEventListener('contextmenu', (e) => e.preventDefault());
canvas.addEventListener('pointerdown', (e) => { drag = [e.clientX, e.clientY, e.button === 2 || e.shiftKey]; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener('pointerup', () => { drag = null; });
canvas.addEventListener('pointermove', (e) => {
  if (!drag) return;
  const dx = e.clientX - drag[0], dy = e.clientY - drag[1];
  drag = [e.clientX, e.clientY, drag[2]];
  if (drag[2]) {
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 0), top = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 1);
    look.addScaledVector(right, -dx * distance / 900).addScaledVector(top, dy * distance / 900);
  } else {
    around -= dx * 0.006;
    above = Math.max(-1.55, Math.min(1.55, above + dy * 0.006));
  }
  draw();
});
canvas.addEventListener('wheel', (e) => { e.preventDefault(); distance *= Math.exp(e.deltaY * 0.001); draw(); }, {passive: false});
function resize() {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  draw();
}
addEventListener('resize', resize);

// Time.
let playing = false, clock = 0, last = 0;
function play(on) {
  playing = on;
  get('play').textContent = on ? 'Pause' : 'Play';
  if (on && shown === frames - 1) show(0);
  clock = RECORD.times[shown];
  last = performance.now();
  if (on) requestAnimationFrame(tick);
}
function tick(now) {
  if (!playing) return;
  clock += (now - last) / 1000 * Number(get('rate').value);
  last = now;
  let frame = shown;
  while (frame + 1 < frames && RECORD.times[frame + 1] <= clock) ++frame;
  if (frame !== shown) show(frame);
  if (frame === frames - 1) play(false);
  else requestAnimationFrame(tick);
}
get('play').addEventListener('click', () => play(!playing));
get('scrub').max = frames - 1;
get('scrub').addEventListener('input', () => { play(false); show(Number(get('scrub').value)); });
for (const id of ['colour', 'points', 'chains']) get(id).addEventListener('change', () => { explain(); show(shown); });
addEventListener('keydown', (e) => {
  if (e.target.tagName === 'SELECT' || e.target.tagName === 'INPUT' && e.key !== ' ') return;
  if (e.key === ' ') { e.preventDefault(); play(!playing); }
  if (e.key === 'ArrowRight') { play(false); show(Math.min(frames - 1, shown + 1)); }
  if (e.key === 'ArrowLeft') { play(false); show(Math.max(0, shown - 1)); }
});
get('name').textContent = RECORD.name;
get('what').textContent = RECORD.what;
// #frame=40&colour=speed&chains opens the page there.
for (const part of location.hash.slice(1).split('&')) {
  const [key, value] = part.split('=');
  if (key === 'colour' && value) get('colour').value = value;
  if (key === 'points' || key === 'chains') get(key).checked = true;
  if (key === 'frame') shown = Math.max(0, Math.min(frames - 1, Number(value) || 0));
}
resize();
explain();
show(shown);
document.body.dataset.ready = frames;
