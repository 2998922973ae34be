// The bytes of app.js and app.css, which lie on the assembler's include path. One library has them once: the names are hidden.
    .section .rodata
    .global memprof_app_script, memprof_app_script_end, memprof_app_style, memprof_app_style_end
    .hidden memprof_app_script
    .hidden memprof_app_script_end
    .hidden memprof_app_style
    .hidden memprof_app_style_end
memprof_app_script:
    .incbin "app.js"
memprof_app_script_end:
memprof_app_style:
    .incbin "app.css"
memprof_app_style_end:
    .section .note.GNU-stack, "", %progbits
