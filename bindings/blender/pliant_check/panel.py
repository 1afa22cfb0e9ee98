"""The panel in the sidebar of the 3D view, and what its buttons do."""
import time

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, PointerProperty, StringProperty

from . import results
from .ways import TYPES, find_way

problem = ""  # why pliant could not be imported


class PLIANT_PG_span(bpy.types.PropertyGroup):
    """Frames in a row in which two objects touch."""

    a: StringProperty()
    b: StringProperty()
    first: IntProperty()
    last: IntProperty()
    worst: IntProperty()
    pairs: IntProperty()


class PLIANT_PG_settings(bpy.types.PropertyGroup):
    """What to check, and what the last check found."""

    self_contact: BoolProperty(
        name="Self contact", default=False,
        description="Look at each object with itself too; faces that share a vertex do not count")
    only_new: BoolProperty(
        name="Only what is new", default=False,
        description="Leave out pairs of faces that touch in the first frame already")
    step: IntProperty(name="Every n-th frame", default=1, min=1, max=1000)
    markers: BoolProperty(name="Timeline markers", default=True,
                          description="Put a marker where two objects begin to touch")
    spans: CollectionProperty(type=PLIANT_PG_span)
    index: IntProperty()
    summary: StringProperty()
    notes: StringProperty()


def _settings(context):
    return context.scene.pliant_check


class PLIANT_OT_check(bpy.types.Operator):
    """Find what touches of the selected objects, in the frames of the scene"""

    bl_idname = "pliant.check"
    bl_label = "Check Selected Objects"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return (not problem and context.mode == "OBJECT"
                and any(obj.type in TYPES for obj in context.selected_objects))

    def start(self, context):
        from .checking import Check
        settings = _settings(context)
        self.check = Check(context.scene, context.view_layer, context.selected_objects,
                           self_contact=settings.self_contact, only_new=settings.only_new,
                           step=settings.step)
        self.steps = self.check.go()

    def execute(self, context):
        """All frames at once: from scripts, and without windows."""
        self.start(context)
        return self.advance(context, None)

    def invoke(self, context, event):
        """Frame by frame, so that Escape can end it."""
        if bpy.app.background:
            return self.execute(context)
        self.start(context)
        self.timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.progress_begin(0, len(self.check.frames))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.steps.close()
            self.end_modal(context)
            self.report({"WARNING"}, "The check was ended; the last results stay")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        done = self.advance(context, 0.1)
        if done != {"RUNNING_MODAL"}:
            self.end_modal(context)
        return done

    def end_modal(self, context):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()

    def advance(self, context, seconds):
        """Goes on for a while, or to the end."""
        import pliant

        from .bodies import CheckError
        end = None if seconds is None else time.monotonic() + seconds
        try:
            for done in self.steps:
                if end is not None and time.monotonic() > end:
                    context.window_manager.progress_update(done)
                    return {"RUNNING_MODAL"}
        except (CheckError, pliant.Error) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.show(context)
        return {"FINISHED"}

    def show(self, context):
        settings, check = _settings(context), self.check
        results.write_attributes(check)
        if settings.markers:
            results.write_markers(context.scene, check.spans)
        else:
            results.clear_markers(context.scene)
        settings.spans.clear()
        for span in check.spans:
            item = settings.spans.add()
            item.name = f"{span.a} x {span.b}"
            for name in ("a", "b", "first", "last", "worst", "pairs"):
                setattr(item, name, getattr(span, name))
        settings.index = 0
        frames = len(check.frames)
        settings.summary = (f"{len(check.objects)} objects, {frames} frames: " +
                            (f"{len(check.spans)} contacts" if check.spans else "nothing touches"))
        settings.notes = "\n".join(check.notes)
        self.report({"INFO"}, settings.summary)


class PLIANT_OT_jump(bpy.types.Operator):
    """Go to this frame, and select what touches"""

    bl_idname = "pliant.jump"
    bl_label = "Jump to Frame"
    bl_options = {"INTERNAL"}

    index: IntProperty()
    frame: IntProperty()

    def execute(self, context):
        context.scene.frame_set(self.frame)
        settings = _settings(context)
        if 0 <= self.index < len(settings.spans):
            settings.index = self.index
            span = settings.spans[self.index]
            for obj in context.view_layer.objects:
                obj.select_set(obj.name in (span.a, span.b))
        return {"FINISHED"}


class PLIANT_OT_select_faces(bpy.types.Operator):
    """Select the faces of the selected objects that touch, to be seen in edit mode"""

    bl_idname = "pliant.select_faces"
    bl_label = "Select Faces"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        chosen = sum(results.select_faces(obj) for obj in context.selected_objects
                     if obj.type == "MESH" and obj.data.library is None)
        if chosen > 0:  # else Blender would deselect the faces again, by their vertices
            context.tool_settings.mesh_select_mode = (False, False, True)
        self.report({"INFO"}, f"{chosen} faces")
        return {"FINISHED"}


class PLIANT_OT_clear(bpy.types.Operator):
    """Remove the list, the markers and the face attributes of checks"""

    bl_idname = "pliant.clear"
    bl_label = "Clear Results"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = _settings(context)
        settings.spans.clear()
        settings.summary = settings.notes = ""
        results.clear_markers(context.scene)
        results.clear_attributes()
        return {"FINISHED"}


def _title(item):
    return f"{item.a} x {item.b}" if item.a != item.b else f"{item.a} x itself"


class PLIANT_UL_spans(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_name, index=0):
        row = layout.split(factor=0.7)
        row.label(text=_title(item))
        row.label(text=f"{item.first} - {item.last}" if item.last > item.first else str(item.first))


class PLIANT_PT_panel(bpy.types.Panel):
    bl_label = "Pliant Check"
    bl_idname = "PLIANT_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Pliant"

    def draw(self, context):
        layout, settings = self.layout, _settings(context)
        if problem:
            layout.label(text="pliant cannot be used", icon="ERROR")
            layout.label(text=problem)
            return
        for name in ("self_contact", "only_new", "markers", "step"):
            layout.prop(settings, name)
        layout.operator("pliant.check", icon="PLAY")
        box = layout.column(align=True)
        for obj in context.selected_objects[:8]:
            if obj.type in TYPES:
                way = find_way(obj)
                box.label(text=f"{obj.name}: by {way.kind}" + (f", {way.why}" if way.why else ""))
        if settings.summary:
            layout.label(text=settings.summary)
        if settings.spans:
            layout.template_list("PLIANT_UL_spans", "", settings, "spans", settings, "index")
        if 0 <= settings.index < len(settings.spans):
            item = settings.spans[settings.index]
            box = layout.column(align=True)
            box.label(text=_title(item))
            box.label(text=f"{item.pairs} pairs of triangles at worst")
            row = box.row(align=True)
            for name in ("first", "worst", "last"):
                frame = getattr(item, name)
                jump = row.operator("pliant.jump", text=f"{name.capitalize()}: {frame}")
                jump.index, jump.frame = settings.index, frame
        for note in settings.notes.splitlines():
            layout.label(text=note, icon="INFO")
        if settings.summary:
            row = layout.row(align=True)
            row.operator("pliant.select_faces")
            row.operator("pliant.clear")


CLASSES = (PLIANT_PG_span, PLIANT_PG_settings, PLIANT_OT_check, PLIANT_OT_jump,
           PLIANT_OT_select_faces, PLIANT_OT_clear, PLIANT_UL_spans, PLIANT_PT_panel)


def register(what_is_wrong: str) -> None:
    global problem
    problem = what_is_wrong
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Scene.pliant_check = PointerProperty(type=PLIANT_PG_settings)


def unregister() -> None:
    del bpy.types.Scene.pliant_check
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
